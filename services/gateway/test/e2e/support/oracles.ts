import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import type { Fixture } from './fixture';
import { databases, replicas } from './processes';
import type { SystemClient } from './system';

/** Source of a replicated table and what both sides must agree on. */
const replicated: readonly { readonly table: string; readonly columns: readonly string[] }[] = [
  { table: 'users', columns: ['username', 'name', 'state'] },
  { table: 'namespaces', columns: ['full_path', 'name', 'visibility'] },
  { table: 'projects', columns: ['namespace_id', 'path', 'name', 'visibility'] },
  { table: 'memberships', columns: ['user_id', 'access_level'] },
  { table: 'labels', columns: ['project_id', 'title', 'color', 'description'] },
  { table: 'milestones', columns: ['project_id', 'iid', 'title', 'state'] },
];

const summary = (schema: string, where: string): string =>
  replicated
    .map(
      ({ table, columns }) =>
        `select '${table}' as table, count(*) as count,
          md5(string_agg(concat_ws('|', id, ${columns.join(', ')}), ',' order by id)) as hash from ${schema}.${table} ${where}`,
    )
    .join(' union all ');

/** What is left on the bus of an installation. */
export interface BusState {
  /** Partitions that a group has not read to their end. */
  waiting(): Promise<unknown[]>;
  /** Events that were parked. */
  deadLetters(): Promise<unknown[]>;
}

const embeddedLog = (system: SystemClient): BusState => ({
  waiting: () =>
    system.query(
      'log',
      `select * from log.group_offsets join log.partitions p using (topic, partition)
        where group_offsets.next_offset < p.next_offset`,
    ),
  deadLetters: () => system.query('log', "select * from log.records where topic like '%.dead-letter'"),
});

/**
 * Waits until nothing is under way any more and looks at what is left: outboxes are empty, events are consumed and none was parked,
 * no ref change and no merge is half done, and each replica says what its source says.
 */
export async function expectSettled(system: SystemClient, bus = embeddedLog(system)): Promise<void> {
  await eventually(
    async () => {
      for (const service of databases) {
        expect(await system.query(service, 'select id from events.outbox where published_at is null')).toEqual([]);
      }
      expect(
        await system.query(
          'merge_requests',
          "select id from ref_change_intents where state = 'open' or (state = 'done' and handled_at is null)",
        ),
      ).toEqual([]);
      expect(await system.query('merge_requests', 'select merge_request_id from merge_request_merges')).toEqual([]);
      expect(await system.query('merge_requests', "select id from merge_requests where state = 'locked'")).toEqual([]);
      expect(await bus.waiting()).toEqual([]);
      const source = await system.query('groups_admin', summary('public', ''));
      for (const service of replicas) {
        const replica = await system.query(service, summary('directory', 'where deleted_at is null'));
        expect([service, replica]).toEqual([service, source]);
      }
    },
    { within: 60_000, every: 100 },
  );
  expect(await bus.deadLetters()).toEqual([]);
}

/**
 * Runs git in the bare repository of a project, as it lies on disk. Looked for two folders deep: further down objects come and go while
 * one looks.
 */
export function gitOf(system: SystemClient, projectId: number): (...args: string[]) => string {
  const root = join(system.data, 'repositories');
  const cwd = readdirSync(root)
    .map((shard) => join(root, shard, `${projectId}.git`))
    .find((path) => existsSync(path));
  if (cwd === undefined) throw new Error(`project ${projectId} has no repository`);
  return (...args) =>
    execFileSync('git', ['-c', 'safe.directory=*', ...args], { cwd, encoding: 'utf8', stdio: 'pipe' });
}

/** Looks at the repository: objects and refs are sound, and main is its first commit and one merge after another (O8). */
export async function expectSoundRepository({ system, projectId, base, all }: Fixture): Promise<void> {
  const git = gitOf(system, projectId);
  git('fsck', '--strict', '--no-dangling');
  const merged = (await all(`/projects/${projectId}/merge_requests?state=merged`)) as {
    merge_commit_sha: string;
    sha: string;
  }[];
  const landed = git('rev-list', '--first-parent', `${base}..refs/heads/main`).split('\n').filter(Boolean);
  expect([...landed].sort()).toEqual(merged.map(({ merge_commit_sha }) => merge_commit_sha).sort());
  const sources = landed.map((commit) => git('rev-parse', `${commit}^2`).trim());
  expect(sources.sort()).toEqual(merged.map(({ sha }) => sha).sort());
}

/** Each merge request has exactly the to-dos of its reviewers, each once. */
export async function expectOneTodoPerReview({ system, projectId }: Fixture): Promise<void> {
  const wanted = await system.query(
    'merge_requests',
    `select r.merge_request_id as target, r.user_id as reviewer from merge_request_reviewers r
      join merge_requests m on m.id = r.merge_request_id where m.project_id = ${projectId} order by 1, 2`,
  );
  const raised = await system.query(
    'collaboration',
    `select target_id as target, user_id as reviewer from todos
      where project_id = ${projectId} and action = 'review_requested' order by 1, 2`,
  );
  expect(raised).toEqual(wanted);
}
