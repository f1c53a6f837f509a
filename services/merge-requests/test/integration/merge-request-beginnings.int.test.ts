import { type Database, listPage, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type TestDatabase, testDatabase } from '@switchyard/testkit';
import fc from 'fast-check';
import type {
  MergeRequestFilter,
  ReactionMatch,
  TitleMatch,
  UserMatch,
} from '../../src/merge-requests/domain/merge-request-filter';
import { beginningsOf, type MergeRequestScope } from '../../src/merge-requests/storage/merge-request.beginnings';
import { whereOf } from '../../src/merge-requests/storage/merge-request.filter';
import { mergeRequestFrom } from '../../src/merge-requests/storage/merge-request.row';
import { service } from '../../src/service';

const users = [1, 2, 3];
const viewer = 1;
const names = ['production', 'staging'];
const day = (at: number) => new Date(Date.UTC(2024, 0, at));

/** A merge request with all that the filters look at, as the test knows it. */
interface Known {
  id: number;
  projectId: number;
  approvals: number[];
  /** Users of each rule of its own. */
  rules: number[][];
  reactions: { userId: number; name: string; given: boolean }[];
  deployments: { environment: string; at: number }[];
  authorId: number;
  mergeUserId: number | null;
  assignees: number[];
  reviewers: number[];
  /** By the places of their titles; the third one is deleted. */
  labels: number[];
  milestone: number | null;
  draft: boolean;
  target: string;
  /** By its place. */
  source: string;
}
interface KnownProject {
  id: number;
  overriding: boolean;
  enabled: boolean;
  rules: number[][];
}

/** Titles of labels and milestones; those at the last place are deleted. */
const titles = ['one', 'two', 'gone'];
const targets = ['main', 'next', 'stable'];
const people = fc.uniqueArray(fc.constantFrom(...users), { maxLength: 2 });
const someRules = fc.array(people, { maxLength: 2 });
const mergeRequest = fc.record({
  projectId: fc.constantFrom(1, 2, 3),
  approvals: people,
  rules: someRules,
  reactions: fc.uniqueArray(
    fc.record({ userId: fc.constantFrom(1, 2), name: fc.constantFrom('rocket', 'eyes'), given: fc.boolean() }),
    { maxLength: 3, selector: ({ userId, name }) => `${userId} ${name}` },
  ),
  deployments: fc.array(fc.record({ environment: fc.constantFrom(...names), at: fc.integer({ min: 1, max: 4 }) }), {
    maxLength: 3,
  }),
  authorId: fc.constantFrom(...users),
  mergeUserId: fc.option(fc.constantFrom(...users)),
  assignees: people,
  reviewers: people,
  labels: fc.uniqueArray(fc.constantFrom(0, 1, 2), { maxLength: 3 }),
  milestone: fc.option(fc.constantFrom(0, 1, 2)),
  draft: fc.boolean(),
  target: fc.constantFrom(...targets),
});
const project = fc.record({
  overriding: fc.boolean(),
  enabled: fc.constantFrom(true, true, true, false),
  rules: someRules,
});
const world = fc.record({
  projects: fc.tuple(project, project, project),
  mergeRequests: fc.array(mergeRequest, { minLength: 5, maxLength: 20 }),
});

const match: fc.Arbitrary<UserMatch> = fc.oneof(
  fc.constantFrom('none' as const, 'any' as const),
  fc.uniqueArray(fc.constantFrom(...users, 9), { minLength: 1, maxLength: 2 }).map((ids) => ({ ids, usernames: [] })),
  fc.constantFrom(...users).map((id) => ({ ids: [], usernames: [`USER${id}`] })),
);
const titleMatch: fc.Arbitrary<TitleMatch> = fc.oneof(
  fc.constantFrom('none' as const, 'any' as const),
  fc
    .uniqueArray(fc.constantFrom(...titles, 'other'), { minLength: 1, maxLength: 2 })
    .map((wanted) => ({ titles: wanted })),
);
const reactionMatch = fc.oneof(fc.constantFrom('none' as const, 'any' as const), fc.constant({ name: 'rocket' }));
const source = fc.constantFrom('b0', 'b1', 'b3');
/** Each field of a list by itself, and several together. */
const column = {
  author: match,
  mergeUser: match,
  assignee: match,
  reviewer: match,
  labels: titleMatch,
  milestone: titleMatch,
  draft: fc.boolean(),
  sourceBranch: source,
};
const excluded = {
  author: match,
  assignee: match,
  reviewer: match,
  labels: titleMatch,
  milestone: titleMatch,
  sourceBranch: source,
  targetBranch: fc.constantFrom(...targets),
  reaction: reactionMatch,
};
const oneOrTwo = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc
    .uniqueArray(fc.constantFrom(...(Object.keys(fields) as (keyof T)[])), { minLength: 1, maxLength: 2 })
    .chain(
      (chosen) =>
        fc.record(Object.fromEntries(chosen.map((field) => [field, fields[field]]))) as fc.Arbitrary<Partial<T>>,
    );
const filters: fc.Arbitrary<MergeRequestFilter> = fc.oneof(
  { arbitrary: oneOrTwo(column), weight: 3 },
  { arbitrary: fc.record({ not: oneOrTwo(excluded) }), weight: 3 },
  ...[
    fc.record({ approvedBy: match }),
    fc.record({ approver: match }),
    fc.record({ approved: fc.boolean() }),
    fc.record({
      reaction: reactionMatch,
    }),
    fc.record({
      deployment: fc.record(
        { environment: fc.constantFrom(...names), after: fc.integer({ min: 1, max: 3 }).map(day) },
        { requiredKeys: ['environment'] },
      ),
    }),
    fc.record({ deployment: fc.record({ before: fc.integer({ min: 2, max: 4 }).map(day) }) }),
  ],
  fc.record({ approvedBy: match, approver: match }),
);

const matches = (wanted: UserMatch, found: readonly number[]): boolean => {
  if (typeof wanted === 'string') return (wanted === 'any') === found.length > 0;
  return named(wanted).every((id) => found.includes(id));
};

const named = (wanted: Exclude<UserMatch, string>) => [
  ...wanted.ids,
  ...wanted.usernames.map((name) => Number(name.slice(4))),
];
const some = (wanted: UserMatch, found: readonly number[]): boolean =>
  typeof wanted === 'string' ? matches(wanted, found) : named(wanted).some((id) => found.includes(id));
/** Titles of labels or milestones that are alive. */
const alive = (places: readonly number[]) => places.filter((place) => place < 2).map((place) => titles[place]!);
const titled = (wanted: TitleMatch, found: readonly string[], every: boolean): boolean => {
  if (typeof wanted === 'string') return (wanted === 'any') === found.length > 0;
  return every ? wanted.titles.every((one) => found.includes(one)) : wanted.titles.some((one) => found.includes(one));
};

/** The same of columns and of what is excluded by them. */
function leavesColumns(filter: MergeRequestFilter, one: Known, reacted: readonly string[]): boolean {
  const { author, mergeUser, assignee, reviewer, labels, milestone, draft, sourceBranch, not = {} } = filter;
  const mergers = one.mergeUserId === null ? [] : [one.mergeUserId];
  const ofMilestone = alive(one.milestone === null ? [] : [one.milestone]);
  return (
    (author === undefined || matches(author, [one.authorId])) &&
    (mergeUser === undefined || matches(mergeUser, mergers)) &&
    (assignee === undefined || matches(assignee, one.assignees)) &&
    (reviewer === undefined || matches(reviewer, one.reviewers)) &&
    (labels === undefined || titled(labels, alive(one.labels), true)) &&
    (milestone === undefined || titled(milestone, ofMilestone, false)) &&
    (draft === undefined || draft === one.draft) &&
    (not.author === undefined || !some(not.author, [one.authorId])) &&
    (not.assignee === undefined || !some(not.assignee, one.assignees)) &&
    (not.reviewer === undefined || !some(not.reviewer, one.reviewers)) &&
    (not.labels === undefined || !titled(not.labels, alive(one.labels), false)) &&
    (not.milestone === undefined || !titled(not.milestone, ofMilestone, false)) &&
    (sourceBranch === undefined || sourceBranch === one.source) &&
    (not.sourceBranch === undefined || not.sourceBranch !== one.source) &&
    (not.targetBranch === undefined || not.targetBranch !== one.target) &&
    (not.reaction === undefined || !reactedAs(not.reaction, reacted))
  );
}

const reactedAs = (wanted: ReactionMatch, reacted: readonly string[]): boolean =>
  typeof wanted === 'string' ? (wanted === 'any') === reacted.length > 0 : reacted.includes(wanted.name);

/** The rule of each filter in the plainest words. */
function leaves(filter: MergeRequestFilter, one: Known, home: KnownProject): boolean {
  const rules = home.overriding && one.rules.length > 0 ? one.rules : home.rules;
  const reacted = one.reactions.filter(({ userId, given }) => userId === viewer && given).map(({ name }) => name);
  const { approvedBy, approver, approved, reaction, deployment } = filter;
  if (!leavesColumns(filter, one, reacted)) return false;
  if (approvedBy !== undefined && !matches(approvedBy, one.approvals)) return false;
  if (approver !== undefined && !matches(approver, rules.flat())) return false;
  if (approved !== undefined && approved !== one.approvals.length > 0) return false;
  if (reaction !== undefined && !reactedAs(reaction, reacted)) return false;
  if (deployment === undefined) return true;
  const { environment, after, before } = deployment;
  return one.deployments.some(
    (made) =>
      (environment === undefined || made.environment === environment) &&
      (after === undefined || day(made.at) > after) &&
      (before === undefined || day(made.at) < before),
  );
}

let database: TestDatabase;
let db: Database;
beforeAll(async () => {
  database = await testDatabase({ sets: service.migrationSets });
  db = openDatabase({ url: database.url, applicationName: 'test' });
  for (const id of users)
    await db.query(sql`insert into directory.users (id, username, name, state, admin, external, bot)
      values (${id}, ${`User${id}`}, 'U', 'active', false, false, false)`);
  await db.query(sql`
    insert into directory.namespaces (id, kind, name, path, full_path, full_name, ancestry, visibility, deleting)
    values (1, 'group', 'Group', 'group', 'group', 'Group', '{1}', 'private', false),
      (2, 'group', 'Other', 'other', 'other', 'Other', '{2}', 'private', false)`);
  for (const [at, title] of titles.entries()) {
    const gone = at === 2 ? day(1) : null;
    await db.query(sql`insert into directory.labels (id, namespace_id, title, color, deleted_at)
      values (${at + 1}, 1, ${title}, '#ff0000', ${gone})`);
    await db.query(sql`insert into directory.milestones (id, iid, namespace_id, title, state, created_at, updated_at, deleted_at)
      values (${at + 1}, ${at + 1}, 1, ${title}, 'active', now(), now(), ${gone})`);
  }
});
afterAll(async () => {
  await db?.close();
  await database?.close();
});

async function build({
  projects,
  mergeRequests,
}: {
  projects: Omit<KnownProject, 'id'>[];
  mergeRequests: Omit<Known, 'id' | 'source'>[];
}) {
  await db.query(
    sql`truncate directory.projects, merge_requests, approval_rules, deployments, environments restart identity cascade`,
  );
  const rule = (projectId: number, mergeRequestId: number | null, at: number, userIds: number[]) =>
    db.query(sql`
    with made as (insert into approval_rules (project_id, merge_request_id, rule_type, name)
      values (${projectId}, ${mergeRequestId}::bigint, 'regular', ${`rule ${at}`}) returning id)
    insert into approval_rule_users (rule_id, user_id) select made.id, u from made, unnest(${userIds}::bigint[]) u`);
  for (const [at, { overriding, enabled, rules }] of projects.entries()) {
    await db.query(sql`
      insert into directory.projects (id, namespace_id, name, path, visibility, default_branch, archived, deleting, creator_id,
        merge_method, squash_option, only_allow_merge_if_pipeline_succeeds, allow_merge_on_skipped_pipeline,
        only_allow_merge_if_all_discussions_are_resolved, remove_source_branch_after_merge, merge_requests_enabled, issues_enabled,
        repository_access_level, initialize_with_readme, disable_overriding_approvers_per_merge_request)
      values (${at + 1}, ${at < 2 ? 1 : 2}, 'P', ${`p${at}`}, 'private', 'main', false, false, 1, 'merge', 'default_off', false, false,
        false, false, ${enabled}, true, 'enabled', false, ${!overriding})`);
    for (const [n, userIds] of rules.entries()) await rule(at + 1, null, n, userIds);
    await db.query(sql`insert into environments (project_id, name, slug, tier)
      select ${at + 1}, name, name, 'other' from unnest(${names}::text[]) name`);
  }
  const known: Known[] = [];
  for (const [at, one] of mergeRequests.entries()) {
    // Several of one moment: their order is that of their ids.
    const row = await db.one<{ id: number }>(sql`
      insert into merge_requests (iid, project_id, source_project_id, source_branch, target_branch, author_id, title, created_at,
        merge_user_id, milestone_id, draft)
      values (${at + 1}, ${one.projectId}, ${one.projectId}, ${`b${at}`}, ${one.target}, ${one.authorId}, 'T', ${day(at >> 1)},
        ${one.mergeUserId}, ${one.milestone === null ? null : one.milestone + 1}, ${one.draft}) returning id`);
    const id = row!.id;
    await db.query(sql`
      with a as (insert into merge_request_assignees (merge_request_id, user_id) select ${id}, u from unnest(${one.assignees}::bigint[]) u),
        r as (insert into merge_request_reviewers (merge_request_id, user_id) select ${id}, u from unnest(${one.reviewers}::bigint[]) u)
      insert into merge_request_labels (merge_request_id, label_id)
        select ${id}, l + 1 from unnest(${one.labels}::bigint[]) l`);
    known.push({ ...one, id, source: `b${at}` });
    await db.query(
      sql`insert into merge_request_approvals (merge_request_id, user_id) select ${id}, u from unnest(${one.approvals}::bigint[]) u`,
    );
    for (const [n, userIds] of one.rules.entries()) await rule(one.projectId, id, n, userIds);
    for (const { userId, name, given } of one.reactions)
      await db.query(
        sql`insert into merge_request_reactions (merge_request_id, user_id, name, given, version) values (${id}, ${userId}, ${name}, ${given}, 1)`,
      );
    for (const made of one.deployments)
      await db.query(sql`
        with place as (select id from environments where project_id = ${one.projectId} and name = ${made.environment}),
          ended as (insert into deployments (iid, project_id, environment_id, user_id, sha, ref, status)
            select coalesce((select max(iid) from deployments), 0) + 1, ${one.projectId}, place.id, 1, 'a', 'main', 'success' from place returning id)
        insert into deployment_merge_requests (deployment_id, merge_request_id, environment, production, finished_at)
        select ended.id, ${id}, ${made.environment}, false, ${day(made.at)} from ended`);
  }
  return known;
}

const created = [
  { name: 'created_at', expression: sql`mr.created_at`, type: 'timestamptz' as const },
  { name: 'id', expression: sql`mr.id`, type: 'bigint' as const },
];

test('a list that begins at few rows has those that the filter leaves, in order, and counts them (ADR 42)', async () => {
  await fc.assert(
    fc.asyncProperty(world, fc.array(filters, { minLength: 8, maxLength: 8 }), async (made, wanted) => {
      const known = await build(made);
      const homes = made.projects.map((one, at) => ({ ...one, id: at + 1 }));
      const scopes: [MergeRequestScope, (projectId: number) => boolean, ReturnType<typeof sql>][] = [
        [{ projectId: 1 }, (id) => id === 1, sql`mr.project_id = 1`],
        [{ groupId: 1 }, (id) => id < 3, sql`n.ancestry @> '{1}'`],
        ['all', () => true, sql`true`],
      ];
      for (const filter of wanted) {
        for (const [scope, inside, condition] of scopes) {
          const expected = known
            .filter((one) => {
              const home = homes[one.projectId - 1]!;
              return inside(one.projectId) && home.enabled && leaves(filter, one, home);
            })
            .map(({ id }) => id)
            .reverse();
          for (const few of [0, 2, 1_000]) {
            const begin = { ...beginningsOf(filter, scope, viewer, sql`mr.id`), few };
            const page = (mode: 'offset' | 'keyset', cursor?: string) =>
              listPage<{ id: number }>({
                db,
                name: 'list',
                select: sql`mr.id`,
                from: mergeRequestFrom,
                where: [condition, ...whereOf(filter, viewer), sql`p.merge_requests_enabled`],
                orders: { created_at: created },
                request: {
                  mode,
                  page: 1,
                  perPage: mode === 'offset' ? 100 : 3,
                  cursor,
                  orderBy: 'created_at',
                  sort: 'desc',
                },
                count: true,
                begin,
              });
            const first = await page('offset');
            expect({ filter, scope, few, ids: first.rows.map(({ id }) => id), total: first.page.total }).toEqual({
              filter,
              scope,
              few,
              ids: expected,
              total: expected.length,
            });
            if (few !== 2) continue;
            const walked: number[] = [];
            let cursor: string | undefined;
            do {
              const one = await page('keyset', cursor);
              walked.push(...one.rows.map(({ id }) => id));
              cursor = one.page.nextCursor;
            } while (cursor !== undefined);
            expect({ filter, scope, few, walked }).toEqual({ filter, scope, few, walked: expected });
          }
        }
      }
    }),
    { numRuns: 8 },
  );
});

test('whether a merge request is approved follows its approvals, also of two that come and go at once', async () => {
  const [one] = await build({
    projects: [],
    mergeRequests: [
      {
        projectId: 1,
        approvals: [2],
        rules: [],
        reactions: [],
        deployments: [],
        authorId: 1,
        mergeUserId: null,
        assignees: [],
        reviewers: [],
        labels: [],
        milestone: null,
        draft: false,
        target: 'main',
      },
    ],
  });
  const approved = async () =>
    (await db.one<{ approved: boolean }>(sql`select approved from merge_requests where id = ${one!.id}`))?.approved;
  expect(await approved()).toBe(true);
  let taken: Promise<unknown> | undefined;
  await db.transaction(async (tx) => {
    await tx.query(sql`select from merge_requests where id = ${one!.id} for update`);
    await tx.query(sql`insert into merge_request_approvals (merge_request_id, user_id) values (${one!.id}, 3)`);
    taken = db.query(sql`delete from merge_request_approvals where user_id = 2`);
    for (let waits = false; !waits; ) {
      const [row] = await db.query<{ waits: boolean }>(sql`
        select exists (select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock') as waits`);
      waits = row?.waits === true;
    }
  });
  await taken;
  expect(await approved()).toBe(true);
  await db.query(sql`delete from merge_request_approvals`);
  expect(await approved()).toBe(false);
});
