import { type Database, listPage, type PageRequest } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { Viewer } from '@switchyard/directory';
import { conflict, notFound } from '@switchyard/errors';
import { epicFrom, visibleEpics } from '../../epic-trees';
import type { RelatedEpic, RelatedLink } from '../domain/related-epic';
import { epicSelect, toEpicView } from './epic.row';

const linkJson = sql`json_build_object('id', link.id, 'sourceId', link.source_id, 'targetId', link.target_id,
  'linkType', link.link_type, 'createdAt', link.created_at, 'updatedAt', link.updated_at)`;

const toLink = ({ createdAt, updatedAt, ...link }: RelatedLink): RelatedLink => ({
  ...link,
  createdAt: new Date(createdAt),
  updatedAt: new Date(updatedAt),
});

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

  async find(id: number): Promise<RelatedLink | undefined> {
    const row = await db.one<{ link: RelatedLink }>(sql`
      select ${linkJson} as link from related_epics link where link.id = ${id}`);
    return row && toLink(row.link);
  },

  create: ({ sourceId, targetId, linkType }: Pick<RelatedLink, 'sourceId' | 'targetId' | 'linkType'>) =>
    db.transaction(async (tx): Promise<RelatedLink> => {
      // Both rows, in the order of ids: of two requests for the same two epics one waits, in whichever direction.
      const both = await tx.query(sql`
        select id from epics where id in (${sourceId}, ${targetId}) order by id for no key update`);
      if (both.length < 2) throw notFound('Epic');
      const known = await tx.one(sql`
        select 1 from related_epics where (source_id, target_id) in ((${sourceId}, ${targetId}), (${targetId}, ${sourceId}))`);
      if (known !== undefined) throw conflict('Epic(s) already assigned');
      const row = await tx.one<{ link: RelatedLink }>(sql`
        with link as (
          insert into related_epics (source_id, target_id, link_type) values (${sourceId}, ${targetId}, ${linkType}) returning *)
        select ${linkJson} as link from link`);
      return toLink(row!.link);
    }),

  async remove(id: number): Promise<boolean> {
    return (await db.query(sql`delete from related_epics where id = ${id} returning 1`)).length > 0;
  },
});
