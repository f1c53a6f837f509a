import { type Database, listPage, type PageRequest, type Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { Viewer } from '@switchyard/directory';
import { conflict, notFound } from '@switchyard/errors';
import { epicFrom, visibleEpics } from '../../epic-trees';
import { type LinkKey, linkTypeFor, type RelatedEpic, type RelatedLink } from '../domain/related-epic';
import { publishEpicFacts } from './epic.events';
import { epicColumns, epicSelect, toEpic, toEpicView } from './epic.row';

const linkJson = sql`json_build_object('id', link.id, 'sourceId', link.source_id, 'targetId', link.target_id,
  'linkType', link.link_type, 'createdAt', link.created_at, 'updatedAt', link.updated_at)`;

const toLink = ({ createdAt, updatedAt, ...link }: RelatedLink): RelatedLink => ({
  ...link,
  createdAt: new Date(createdAt),
  updatedAt: new Date(updatedAt),
});

const isBetween = ([one, other]: readonly [number, number]) =>
  sql`(link.source_id, link.target_id) in ((${one}, ${other}), (${other}, ${one}))`;

/** Locks both epics of a link, in the order of ids: of two requests for the same two one waits, in whichever direction. */
async function lockBoth(tx: Tx, { sourceId, targetId }: Pick<RelatedLink, 'sourceId' | 'targetId'>) {
  const both = await tx.query(sql`
    select ${epicColumns} from epics e where e.id in (${sourceId}, ${targetId}) order by e.id for no key update`);
  return both.map(toEpic);
}

/** Appends what happened to a link as an event of each of its epics, which are locked. */
async function publish(
  tx: Tx,
  kind: 'linked' | 'unlinked',
  link: RelatedLink,
  epics: Awaited<ReturnType<typeof lockBoth>>,
  actorId: number,
): Promise<void> {
  const occurredAt = new Date();
  for (const subject of epics) {
    for (const other of epics.filter(({ id }) => id !== subject.id)) {
      const fact = { kind, linkId: link.id, linkType: linkTypeFor(subject.id, link), other } as const;
      await publishEpicFacts(tx, { subject, facts: [fact], actorId, occurredAt });
    }
  }
}

/** Opens the links of epics to each other. */
export const relatedEpicStore = (db: Database) => ({
  async page(epicId: number, viewer: Viewer, request: PageRequest) {
    const { rows, page } = await listPage<Record<string, unknown>>({
      db,
      name: 'list_related_epics',
      select: sql`${epicSelect(viewer)}, ${linkJson} as link`,
      from: sql`${epicFrom} join related_epics link on e.id = case when link.source_id = ${epicId} then link.target_id else link.source_id end`,
      where: [sql`(link.source_id = ${epicId} or link.target_id = ${epicId})`, visibleEpics(viewer)],
      orders: { id: [{ name: 'id', expression: sql`link.id`, type: 'bigint' }] },
      request,
      count: true,
    });
    const related = rows.map((row): RelatedEpic => ({ view: toEpicView(row), link: toLink(row.link as RelatedLink) }));
    return { rows: related, page };
  },

  async find(key: LinkKey): Promise<RelatedLink | undefined> {
    const wanted = 'id' in key ? sql`link.id = ${key.id}` : isBetween(key.between);
    const row = await db.one<{ link: RelatedLink }>(
      sql`select ${linkJson} as link from related_epics link where ${wanted}`,
    );
    return row && toLink(row.link);
  },

  create: (wanted: Pick<RelatedLink, 'sourceId' | 'targetId' | 'linkType'>, actorId: number) =>
    db.transaction(async (tx): Promise<RelatedLink> => {
      const { sourceId, targetId, linkType } = wanted;
      const both = await lockBoth(tx, wanted);
      if (both.length < 2) throw notFound('Epic');
      const known = await tx.one(sql`
        select 1 from related_epics link where ${isBetween([sourceId, targetId])}`);
      if (known !== undefined) throw conflict('Epic(s) already assigned');
      const row = await tx.one<{ link: RelatedLink }>(sql`
        with link as (
          insert into related_epics (source_id, target_id, link_type) values (${sourceId}, ${targetId}, ${linkType}) returning *)
        select ${linkJson} as link from link`);
      const link = toLink(row!.link);
      await publish(tx, 'linked', link, both, actorId);
      return link;
    }),

  remove: (link: RelatedLink, actorId: number) =>
    db.transaction(async (tx): Promise<boolean> => {
      const both = await lockBoth(tx, link);
      const removed = await tx.query(sql`delete from related_epics where id = ${link.id} returning 1`);
      if (removed.length > 0) await publish(tx, 'unlinked', link, both, actorId);
      return removed.length > 0;
    }),
});
