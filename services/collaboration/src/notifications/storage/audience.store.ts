import type { SqlExecutor } from '@switchyard/database';
import { raw, type Sql, sql } from '@switchyard/database/sql';
import { codeRule, fullPathSql, memberIds, membersAtLevel, usersAtLevel, usersWhoSee } from '@switchyard/directory';
import { levels } from '@switchyard/rights';
import { settingsOf } from '../../notification-settings';
import { targetReaders } from '../../targets';
import { mentionedUsers, noteReaders } from '../../todos';
import type { Recipient } from '../domain/decide';
import { placeName, type Subject } from '../domain/notification-event';
import type { EventPlace, InvolvedPeople } from '../domain/stored';

/** Users that one event reaches through settings or membership; keeps its transaction short. */
const maxUsers = 10_000;

/** Characters of a description that a mail shows. */
const maxText = 32_768;

/** Users who wrote notes on what a subject's notes hang on. */
const writers = (carrier: Sql): Sql => sql`array(
  select distinct n.author_id from notes n where n.noteable_id = ${carrier} and not n.system limit ${maxUsers})`;

const none = sql`array[]::bigint[]`;

/** People of an issue or epic. */
function followers(kind: 'issue' | 'epic', id: number, assigneeIds: Sql): Sql {
  const [participants, subscriptions, objectId] = [
    raw(`${kind}_participants`),
    raw(`${kind}_subscriptions`),
    raw(`${kind}_id`),
  ];
  return sql`
    select o.author_id as "authorId", ${assigneeIds} as "assigneeIds", ${none} as "reviewerIds",
      array(select user_id from ${participants} where ${objectId} = o.id limit ${maxUsers}) as "participantIds",
      array(select user_id from ${subscriptions} where ${objectId} = o.id and subscribed limit ${maxUsers}) as "subscribedIds",
      array(select user_id from ${subscriptions} where ${objectId} = o.id and not subscribed limit ${maxUsers}) as "unsubscribedIds",
      left(coalesce(o.description, ''), ${maxText}) as text
    from ${raw(`${kind}s`)} o where o.id = ${id}`;
}

const involvedIn: Readonly<Partial<Record<Subject['type'], (id: number) => Sql>>> = {
  Issue: (id) => followers('issue', id, sql`array(select user_id from issue_assignees where issue_id = o.id)`),
  Epic: (id) => followers('epic', id, none),
  Snippet: (id) => sql`
    select s.author_id as "authorId", ${none} as "assigneeIds", ${none} as "reviewerIds",
      ${writers(sql`(select c.id from noteables c where c.kind = 'Snippet' and c.target_id = s.id and c.project_id = s.project_id and c.sha = '')`)}
        as "participantIds", ${none} as "subscribedIds", ${none} as "unsubscribedIds", '' as text
    from snippets s where s.id = ${id}`,
  Commit: (id) => sql`
    select 0 as "authorId", ${none} as "assigneeIds", ${none} as "reviewerIds", ${writers(sql`c.id`)} as "participantIds",
      ${none} as "subscribedIds", ${none} as "unsubscribedIds", '' as text
    from noteables c where c.id = ${id} and c.removed_at is null`,
};

async function snippetReaders(
  db: SqlExecutor,
  { id, projectId }: Subject,
  userIds: readonly number[],
): Promise<number[]> {
  const [snippet] = await db.query<{ visibility: string }>(sql`select visibility from snippets where id = ${id}`);
  if (snippet === undefined) return [];
  const readers = await usersWhoSee(db, projectId, userIds, { feature: 'snippets' });
  return snippet.visibility === 'private' ? usersAtLevel(db, projectId, readers, levels.guest) : readers;
}

/** Those of `userIds` who may read a subject now; at most four statements. */
export function subjectReaders(db: SqlExecutor, subject: Subject, userIds: readonly number[]): Promise<number[]> {
  const { type, projectId } = subject;
  switch (type) {
    case 'Issue':
    case 'MergeRequest':
    case 'Commit':
    case 'Epic':
      return targetReaders(db, { ...subject, type }, userIds);
    case 'Snippet':
      return snippetReaders(db, subject, userIds);
    case 'Pipeline':
      return usersWhoSee(db, projectId, userIds, codeRule);
    case 'Project':
      return usersWhoSee(db, projectId, userIds);
  }
}

/** The topmost of the groups of `n` whose mail is switched off. */
const silentGroup = sql`(
  select g.full_path from directory.namespaces g where g.id = any(n.ancestry) and g.emails_disabled
  order by cardinality(g.ancestry) limit 1)`;

/** Where decisions are read from. */
export const audienceStore = {
  async places(db: SqlExecutor, subjects: readonly Subject[]): Promise<Map<string, EventPlace>> {
    const projectIds = subjects.map(({ projectId }) => projectId);
    const ofGroups = subjects.flatMap(({ groupId }) => groupId ?? []);
    const rows = await db.query<
      Omit<EventPlace, 'silencedBy'> & { projectId: number; groupId: number; silencedBy: string | null }
    >(sql`
      select p.id as "projectId", 0 as "groupId", ${fullPathSql} as path, n.ancestry as "groupIds",
        case when p.emails_disabled then ${fullPathSql} else ${silentGroup} end as "silencedBy"
      from directory.projects p join directory.namespaces n on n.id = p.namespace_id
      where p.id = any(${projectIds}::bigint[]) and p.deleted_at is null
      union all
      select 0, n.id, n.full_path, n.ancestry, ${silentGroup} from directory.namespaces n
      where n.id = any(${ofGroups}::bigint[]) and n.deleted_at is null`);
    return new Map(
      rows.map(({ path, groupIds, silencedBy, ...ids }) => [
        placeName(ids),
        { path, groupIds, silencedBy: silencedBy ?? undefined },
      ]),
    );
  },

  async involved(db: SqlExecutor, { type, id }: Subject): Promise<InvolvedPeople | undefined> {
    const statement = involvedIn[type]?.(id);
    return statement && (await db.query<InvolvedPeople>(statement))[0];
  },

  async mentioned(
    db: SqlExecutor,
    names: readonly string[],
    { projectId, groupId }: Subject,
    authorId: number,
  ): Promise<number[]> {
    if (names.length === 0) return [];
    const found = await mentionedUsers(db, names, { projectId, groupId, authorId });
    return [...new Set([...found.values()].flat())];
  },

  members: (db: SqlExecutor, projectId: number): Promise<number[]> => membersAtLevel(db, projectId, levels.guest),

  async choosers(db: SqlExecutor, projectId: number, groupIds: readonly number[]): Promise<number[]> {
    const rows = await db.query<{ id: number }>(sql`
      select distinct s.user_id as id from notification_settings s
      where s.level in ('watch', 'custom') and (
        s.project_id > 0 and s.project_id = ${projectId} or s.project_id = 0 and s.group_id = any(${[...groupIds]}::bigint[])
        or s.project_id = 0 and s.group_id = 0 and s.user_id in (${memberIds(sql`${[...groupIds]}::bigint[]`, levels.guest, sql`${projectId}::bigint`)}))
      limit ${maxUsers}`);
    return rows.map(({ id }) => id);
  },

  settings: settingsOf,

  async recipients(db: SqlExecutor, userIds: readonly number[]): Promise<Recipient[]> {
    if (userIds.length === 0) return [];
    return db.query<Recipient>(sql`
      select u.id, u.deleted_at is null and u.state = 'active' as active, u.bot, coalesce(u.email, '') as email,
        u.confirmed_emails as confirmed
      from directory.users u where u.id = any(${[...userIds]}::bigint[]) order by u.id`);
  },

  async readers(
    db: SqlExecutor,
    subject: Subject,
    noteId: number | undefined,
    userIds: readonly number[],
  ): Promise<ReadonlySet<number>> {
    const readers = await subjectReaders(db, subject, userIds);
    if (noteId === undefined) return new Set(readers);
    const ofNote = await noteReaders(db, subject, [noteId], readers);
    return ofNote.get(noteId) ?? new Set<number>();
  },
};
