import type { Database } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import { labelsByIds, namespacesByIds, projectsByIds, usersByIds } from '@switchyard/directory';
import {
  type AwardKey,
  awardName,
  type HookAward,
  type HookEpic,
  type HookFacts,
  type HookIssue,
  type HookNote,
  type HookSnippet,
  type Named,
} from '../domain/hook-facts';

const byId = <Row extends { readonly id: number }>(rows: readonly Row[]): ReadonlyMap<number, Row> =>
  new Map(rows.map((row) => [row.id, row]));

type IdKind = Exclude<keyof Named, 'awards' | 'commits'>;

const idsOf = (all: readonly Named[], kind: IdKind): number[] => [
  ...new Set(all.flatMap((one) => one[kind]).filter((id) => id > 0)),
];

/** Characters of the content of a snippet that a body has. */
const contentLength = 10_000;

/** What is known of those that a batch of events names: one statement for each kind. */
export function hookFactsStore(db: Database): (all: readonly Named[]) => Promise<Omit<HookFacts, 'parts'>> {
  const issues = (ids: readonly number[]): Promise<HookIssue[]> =>
    db.query(
      named(
        'hook_issues',
        sql`select i.id, i.iid, i.project_id, i.author_id, i.title, i.description, i.state, i.issue_type, i.confidential,
          i.severity, i.discussion_locked, i.milestone_id, i.due_date::text as due_on, i.weight, i.health_status,
          i.time_estimate, i.total_time_spent, i.closed_at, i.moved_to_id, i.created_at, i.updated_at,
          array(select a.user_id from issue_assignees a where a.issue_id = i.id order by a.created_at, a.user_id) as assignee_ids,
          array(select l.label_id from issue_labels l where l.issue_id = i.id order by l.label_id) as label_ids
        from issues i where i.id = any(${[...ids]}::bigint[])`,
      ),
    );

  const epics = (ids: readonly number[]): Promise<HookEpic[]> =>
    db.query(
      named(
        'hook_epics',
        sql`select e.id, e.iid, e.group_id, e.author_id, e.title, e.description, e.state, e.confidential, e.color,
          (case when e.start_date_is_fixed then e.start_date_fixed else e.inherited_start_date end)::text as start_on,
          (case when e.due_date_is_fixed then e.due_date_fixed else e.inherited_due_date end)::text as due_on,
          e.closed_at, e.created_at, e.updated_at,
          array(select l.label_id from epic_labels l where l.epic_id = e.id order by l.label_id) as label_ids
        from epics e where e.id = any(${[...ids]}::bigint[])`,
      ),
    );

  const notes = (ids: readonly number[]): Promise<HookNote[]> =>
    db.query(
      named(
        'hook_notes',
        sql`select id, project_id, author_id, body, type, internal, encode(discussion_id, 'hex') as discussion_id, position,
          resolved_at, resolved_by_id, created_at, updated_at from notes where id = any(${[...ids]}::bigint[])`,
      ),
    );

  const snippets = (ids: readonly number[]): Promise<HookSnippet[]> =>
    db.query(
      named(
        'hook_snippets',
        sql`select s.id, s.project_id, s.author_id, s.title, s.description, s.visibility, s.created_at, s.updated_at,
          f.path, left(f.content, ${contentLength}::int) as content
        from snippets s left join snippet_files f on f.snippet_id = s.id and f.place = (
          select min(place) from snippet_files where snippet_id = s.id)
        where s.id = any(${[...ids]}::bigint[])`,
      ),
    );

  async function awards(keys: readonly AwardKey[]): Promise<ReadonlyMap<string, HookAward>> {
    const rows = await db.query<HookAward & AwardKey>(
      named(
        'hook_awards',
        sql`select a.id, a.created_at, a.updated_at, a.awardable_type as type, a.awardable_id as "on", a.name,
          a.user_id as "userId"
        from json_to_recordset(${JSON.stringify(keys)}::json) as k (type text, "on" bigint, name text, "userId" bigint)
        join award_emoji a on a.awardable_type = k.type and a.awardable_id = k."on" and a.name = k.name
          and a.user_id = k."userId"`,
      ),
    );
    return new Map(rows.map((row) => [awardName(row), row]));
  }

  return async (all) => {
    const [users, projects, groups, labels, ofEpics, ofIssues, ofNotes, ofSnippets, ofAwards] = await Promise.all([
      usersByIds(db, idsOf(all, 'users')),
      projectsByIds(db, idsOf(all, 'projects')),
      namespacesByIds(db, idsOf(all, 'groups')),
      labelsByIds(db, idsOf(all, 'labels')),
      epics(idsOf(all, 'epics')),
      issues(idsOf(all, 'issues')),
      notes(idsOf(all, 'notes')),
      snippets(idsOf(all, 'snippets')),
      awards(all.flatMap((one) => one.awards)),
    ]);
    return {
      users,
      projects,
      groups,
      labels,
      epics: byId(ofEpics),
      issues: byId(ofIssues),
      notes: byId(ofNotes),
      snippets: byId(ofSnippets),
      awards: ofAwards,
    };
  };
}
