import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import { type ApiReply, type System, startSystem } from './support/system';

jest.setTimeout(600_000);

/** Fault points on the way of a push, of a merge, and of a to-do; each is fired once. */
const onPush = [
  'push.received',
  'push.decided',
  'push.intent_committed',
  'push.ref_moved',
  'push.result_committed',
  'push.subscriber_told',
  'push.told',
];
const onMerge = ['merge.intent_committed', 'merge.ref_moved', 'merge.committed'];
const onTodo = ['outbox.claimed', 'outbox.published', 'todo.written', 'todo.committed', 'consumer.committed'];

/**
 * A process dies at each named point. Oracles: what was acknowledged is there once, what was not is there wholly or not at all and
 * can be done again; git is sound; outboxes run empty; a to-do exists exactly once.
 */
describe('a process dies', () => {
  let system: System;
  let folder: string;
  let work: string;
  let projectId = 0;
  let reviewerId = 0;
  let reviewer = '';
  let number = 0;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-faults-'));
    work = join(folder, 'work');
    system = await startSystem({ SWITCHYARD_MAX_DEATHS: '100' });
    const user = await ok('POST', '/users', {
      email: 'r@example.com',
      username: 'reviewer',
      name: 'R',
      password: 'correct horse battery',
    });
    reviewerId = user.id;
    reviewer = (await ok('POST', `/users/${reviewerId}/personal_access_tokens`, { name: 't', scopes: ['api'] })).token;
    projectId = (await ok('POST', '/projects', { name: 'Faults', path: 'faults' })).id;
    await ok('POST', `/projects/${projectId}/members`, { user_id: reviewerId, access_level: 40 });
    await system.git(['init', '-q', '-b', 'main', work]);
    await commit('first');
    await system.git(['remote', 'add', 'origin', system.remote('root/faults')], work);
    await system.git(['push', '-q', 'origin', 'main'], work);
  });
  afterAll(async () => {
    await system?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function ok(method: string, path: string, body?: unknown, token?: string) {
    const reply = await again(() => system.api(method, path, { body, token }));
    if (reply.status >= 300) throw new Error(`${method} ${path} ${reply.status} ${reply.text}`);
    return reply.body;
  }

  /** A request, again while the service is away: 503, or a connection that breaks. */
  const again = (send: () => Promise<ApiReply>): Promise<ApiReply> =>
    eventually(
      async () => {
        const reply = await send();
        if (reply.status >= 500) {
          expect([502, 503, 504]).toContain(reply.status);
          throw new Error(`${reply.status}`);
        }
        return reply;
      },
      { within: 30_000, every: 100 },
    );

  async function commit(name: string): Promise<string> {
    writeFileSync(join(work, `${name}.txt`), `${name}\n`);
    await system.git(['add', '.'], work);
    await system.git(['commit', '-q', '-m', name], work);
    return (await system.git(['rev-parse', 'HEAD'], work)).stdout.trim();
  }

  async function branch(): Promise<{ name: string; sha: string }> {
    number += 1;
    const name = `topic-${number}`;
    await system.git(['fetch', '-q', 'origin'], work);
    await system.git(['checkout', '-q', '-B', name, 'origin/main'], work);
    return { name, sha: await commit(name) };
  }

  const push = (name: string) =>
    eventually(() => system.git(['push', '-q', 'origin', name], work), { within: 30_000, every: 200 });

  const open = async (name: string, body: Record<string, unknown> = {}) =>
    ok('POST', `/projects/${projectId}/merge_requests`, {
      source_branch: name,
      target_branch: 'main',
      title: name,
      ...body,
    });

  const repository = (): string => {
    const root = join(system.data, 'repositories');
    const found = readdirSync(root, { recursive: true, encoding: 'utf8' }).find(
      (path) => path.endsWith(`/${projectId}.git`) || path === `${projectId}.git`,
    );
    return join(root, found as string);
  };

  async function settled(): Promise<void> {
    await eventually(
      async () => {
        for (const service of ['groups_admin', 'merge_requests']) {
          expect(await system.query(service, 'select id from events.outbox where published_at is null')).toEqual([]);
        }
        expect(await system.query('merge_requests', "select id from ref_change_intents where state = 'open'")).toEqual(
          [],
        );
      },
      { within: 30_000, every: 100 },
    );
    execFileSync('git', ['-c', 'safe.directory=*', 'fsck', '--strict', '--no-dangling'], {
      cwd: repository(),
      stdio: 'pipe',
    });
  }

  const remoteSha = async (ref: string): Promise<string> =>
    (await system.git(['ls-remote', 'origin', ref], work)).stdout.split('\t')[0] ?? '';

  it.each(onPush)('at %s: the push is whole or not there, and can be repeated', async (point) => {
    const { name } = await branch();
    await push(name);
    const { iid } = await open(name);
    const sha = await commit(`${name}-more`);
    system.arm(point);
    await system.git(['push', '-q', 'origin', name], work).catch(() => undefined);
    await eventually(() => expect(system.fired()).toBe(true));
    await push(name);
    expect(await remoteSha(`refs/heads/${name}`)).toBe(sha);
    await eventually(
      async () => expect((await ok('GET', `/projects/${projectId}/merge_requests/${iid}`)).sha).toBe(sha),
      { within: 20_000, every: 100 },
    );
    expect(await ok('GET', `/projects/${projectId}/merge_requests/${iid}/commits`)).toHaveLength(2);
    await settled();
  });

  it.each(onMerge)('at %s: the merge lands once, or can be asked for again', async (point) => {
    const { name } = await branch();
    await push(name);
    const { iid } = await open(name);
    await eventually(
      async () =>
        expect((await ok('GET', `/projects/${projectId}/merge_requests/${iid}`)).detailed_merge_status).toBe(
          'mergeable',
        ),
      { within: 20_000 },
    );
    const before = await remoteSha('refs/heads/main');
    system.arm(point);
    await system.api('PUT', `/projects/${projectId}/merge_requests/${iid}/merge`, { body: {} }).catch(() => undefined);
    await eventually(() => expect(system.fired()).toBe(true));
    const merged = await eventually(
      async () => {
        const found = await ok('GET', `/projects/${projectId}/merge_requests/${iid}`);
        if (found.state === 'opened' && found.detailed_merge_status === 'mergeable') {
          await system.api('PUT', `/projects/${projectId}/merge_requests/${iid}/merge`, { body: {} });
        }
        expect(found.state).toBe('merged');
        return found;
      },
      { within: 30_000, every: 200 },
    );
    expect(await remoteSha('refs/heads/main')).toBe(merged.merge_commit_sha);
    await system.git(['fetch', '-q', 'origin'], work);
    const landed = (await system.git(['rev-list', '--first-parent', `${before}..origin/main`], work)).stdout
      .trim()
      .split('\n');
    expect(landed).toEqual([merged.merge_commit_sha]);
    await settled();
  });

  it.each(onTodo)('at %s: the to-do exists exactly once', async (point) => {
    const { name } = await branch();
    await push(name);
    await settled();
    const { iid } = await open(name);
    await settled();
    system.arm(point);
    await ok('PUT', `/projects/${projectId}/merge_requests/${iid}`, { reviewer_ids: [reviewerId] });
    await eventually(() => expect(system.fired()).toBe(true));
    const mine = async () =>
      ((await ok('GET', '/todos?per_page=100', undefined, reviewer)) as { target: { iid: number } }[]).filter(
        ({ target }) => target.iid === iid,
      );
    await eventually(async () => expect(await mine()).toHaveLength(1), { within: 30_000, every: 100 });
    await settled();
    expect(await mine()).toHaveLength(1);
  });
});
