import {
  type Database,
  isUniqueViolation,
  listPage,
  type OrderColumn,
  type PageInfo,
  type PageRequest,
  requireUnmodified,
  type Tx,
} from '@switchyard/database';
import { join, type Sql, sql } from '@switchyard/database/sql';
import { invalid } from '@switchyard/errors';
import { type StoredAvatar, setAvatar } from '../../avatars';
import { type DirectoryWriter, matches } from '../../directory';
import { taken } from '../../rules';
import type { NewTopic, TopicChange, TopicFacts, TopicFilter, TopicRow } from '../domain/topic';

const columns = sql`t.id, t.name, t.title, t.description, t.avatar_url, t.total_projects_count`;

const id: OrderColumn = { name: 'id', expression: sql`t.id`, type: 'bigint', direction: 'asc' };
const projects: OrderColumn = {
  name: 'projects',
  expression: sql`t.non_private_projects_count`,
  type: 'integer',
  direction: 'desc',
};

/** The one order of topics (G-4.16-6). */
const ordersFor = (search: string | undefined): { projects: OrderColumn[] } => ({
  projects:
    search === undefined
      ? [projects, id]
      : [
          {
            name: 'similarity',
            expression: sql`round(similarity(t.name, ${search})::numeric, 6)`,
            type: 'numeric',
            direction: 'desc',
          },
          projects,
          id,
        ],
});

async function factsOf(tx: Tx, name: string | undefined, except: number): Promise<TopicFacts> {
  if (name === undefined) return { nameTaken: false };
  const row = await tx.one<{ taken: boolean }>(sql`
    select exists (select from topics where lower(name) = lower(trim(normalize(${name}::text))) and id <> ${except}::bigint) as taken`);
  return { nameTaken: row?.taken ?? false };
}

/** When another topic gets the name concurrently, the unique index refuses it. */
function refuseTaken(error: unknown): never {
  throw isUniqueViolation(error, 'topics_name_unique') ? invalid({ name: [taken] }) : error;
}

const lockTopic = (tx: Tx, topicId: number): Promise<{ id: number } | undefined> =>
  tx.one(sql`select id from topics where id = ${topicId}::bigint for update`);

/** Topics in the database; their counts are kept by triggers (migration `topics`). */
export const topicStore = (db: Database, { transaction }: Pick<DirectoryWriter, 'transaction'>) => ({
  list(
    { search, withoutProjects, organizationId }: TopicFilter,
    request: PageRequest,
  ): Promise<{ rows: TopicRow[]; page: PageInfo }> {
    const where: Sql[] = [];
    if (organizationId !== 1) where.push(sql`false`);
    if (withoutProjects) where.push(sql`t.total_projects_count = 0`);
    if (search !== undefined) where.push(matches(search, [sql`t.name`]));
    return listPage<TopicRow>({
      db,
      name: 'list_topics',
      searches: search !== undefined,
      select: columns,
      from: sql`topics t`,
      where,
      orders: ordersFor(search),
      request,
      count: true,
    });
  },

  find: (topicId: number): Promise<TopicRow | undefined> =>
    db.one<TopicRow>(sql`select ${columns} from topics t where t.id = ${topicId}::bigint`),

  create: (
    { name, avatar }: { readonly name: string; readonly avatar: StoredAvatar | null | undefined },
    decide: (facts: TopicFacts) => NewTopic,
  ): Promise<number> =>
    transaction(async (tx) => {
      const topic = decide(await factsOf(tx, name, 0));
      const row = await tx.one<{ id: number }>(sql`
        insert into topics (name, title, description)
        values (${topic.name}, ${topic.title}, nullif(${topic.description ?? null}::text, '')) returning id`);
      if (row === undefined) throw new Error('a topic was not inserted');
      await setAvatar(tx, { kind: 'topic', id: row.id }, avatar);
      return row.id;
    }).catch(refuseTaken),

  change: (
    {
      id: topicId,
      name,
      avatar,
    }: {
      readonly id: number;
      readonly name: string | undefined;
      readonly avatar: StoredAvatar | null | undefined;
    },
    decide: (facts: TopicFacts) => TopicChange,
  ): Promise<boolean> =>
    transaction(async (tx) => {
      if ((await lockTopic(tx, topicId)) === undefined) return false;
      const change = decide(await factsOf(tx, name, topicId));
      const sets = [sql`updated_at = now()`];
      if (change.name !== undefined) sets.push(sql`name = ${change.name}`);
      if (change.title !== undefined) sets.push(sql`title = ${change.title}`);
      if (change.description !== undefined) sets.push(sql`description = nullif(${change.description}::text, '')`);
      await tx.query(sql`update topics set ${join(sets)} where id = ${topicId}::bigint`);
      await setAvatar(tx, { kind: 'topic', id: topicId }, avatar);
      return true;
    }).catch(refuseTaken),

  delete: (topicId: number, unmodifiedSince: Date | undefined): Promise<boolean> =>
    db.transaction(async (tx) => {
      if ((await lockTopic(tx, topicId)) === undefined) return false;
      await requireUnmodified(tx, 'topics', topicId, unmodifiedSince);
      await tx.query(sql`delete from topics where id = ${topicId}::bigint`);
      return true;
    }),

  merge: (sourceId: number, targetId: number): Promise<boolean> =>
    db.transaction(async (tx) => {
      const locked = await tx.query(
        sql`select id from topics where id = any(${[sourceId, targetId]}::bigint[]) order by id for update`,
      );
      if (locked.length < 2) return false;
      // A project that is being purged keeps its assignment to the source, which goes with both.
      await tx.query(sql`
        with moved as (
          select pt.project_id, pt.position from project_topics pt join projects p on p.id = pt.project_id
          where pt.topic_id = ${sourceId}::bigint for key share of p
        )
        insert into project_topics (project_id, topic_id, position) select project_id, ${targetId}::bigint, position from moved
        on conflict (project_id, topic_id) do nothing`);
      await tx.query(sql`delete from topics where id = ${sourceId}::bigint`);
      return true;
    }),
});
