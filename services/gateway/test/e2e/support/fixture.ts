import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import type { ApiReply, System, SystemClient } from './system';

/** A user and what authenticates it. */
export interface TestUser {
  readonly id: number;
  readonly token: string;
}

/** A clone of the fixture's project. */
export interface WorkingCopy {
  /** Starts a branch at the remote's main, with one commit; its SHA. */
  branch(name: string): Promise<string>;
  /** Commits a file of that name; the SHA. */
  commit(name: string): Promise<string>;
  /** Pushes a branch once. @throws when git says no or the server is away */
  push(name: string): Promise<void>;
  git(args: string[]): Promise<{ stdout: string; stderr: string }>;
}

/** A project with a first commit, on a system whose processes die: calls are repeated while a service is away. */
export interface Fixture {
  readonly system: SystemClient;
  readonly projectId: number;
  readonly reviewer: TestUser;
  /** A request that must succeed; its body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
  ok(method: string, path: string, body?: unknown, token?: string): Promise<any>;
  /** Every item of a list. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
  all(path: string): Promise<any[]>;
  workingCopy(name: string): Promise<WorkingCopy>;
  /** What a ref of the remote points at; empty when it is not there. */
  remoteSha(ref: string): Promise<string>;
  /** SHA of the first commit of main. */
  readonly base: string;
}

/** A request, again while the service is away: 502, 503, 504, or a connection that breaks. Any other 5xx is a failure. */
const again = (send: () => Promise<ApiReply>): Promise<ApiReply> =>
  eventually(
    async () => {
      const reply = await send();
      if (reply.status >= 500) throw new Error(`${reply.status} ${reply.text}`);
      return reply;
    },
    { within: 60_000, every: 100 },
  );

/** A user of that name, with a token. */
export async function makeUser(system: SystemClient, username: string): Promise<TestUser> {
  const made = async (path: string, body: object) => {
    const reply = await again(() => system.api('POST', path, { body }));
    if (reply.status !== 201) throw new Error(`POST ${path} ${reply.status} ${reply.text}`);
    return reply.body;
  };
  const email = `${username}@example.com`;
  const { id } = await made('/users', { email, username, name: username, force_random_password: true });
  const { token } = await made(`/users/${id}/personal_access_tokens`, { name: 't', scopes: ['api'] });
  return { id, token };
}

/** TestUser who is asked for reviews. */
export const makeReviewer = (system: SystemClient): Promise<TestUser> => makeUser(system, 'reviewer');

/** Makes a project of that path below `root`, with a commit on main; working copies lie in `folder`. */
export async function makeFixture(
  system: SystemClient,
  reviewer: TestUser,
  path: string,
  folder: string,
): Promise<Fixture> {
  const ok: Fixture['ok'] = async (method, at, body, token) => {
    const reply = await again(() => system.api(method, at, { body, token }));
    if (reply.status >= 300) throw new Error(`${method} ${at} ${reply.status} ${reply.text}`);
    return reply.body;
  };
  const all: Fixture['all'] = async (at) => {
    const found: unknown[] = [];
    for (let page = 1; ; page += 1) {
      const items = await ok('GET', `${at}${at.includes('?') ? '&' : '?'}per_page=100&page=${page}`);
      found.push(...items);
      if (items.length < 100) return found;
    }
  };
  const remote = system.remote(`root/${path}`);
  const workingCopy: Fixture['workingCopy'] = async (name) => {
    const at = join(folder, path, name);
    mkdirSync(at, { recursive: true });
    const git = (args: string[]) => system.git(args, at);
    await git(['init', '-q', '-b', 'main']);
    await git(['remote', 'add', 'origin', remote]);
    const commit = async (file: string): Promise<string> => {
      writeFileSync(join(at, `${file}.txt`), `${file}\n`);
      await git(['add', '.']);
      await git(['commit', '-q', '-m', file]);
      return (await git(['rev-parse', 'HEAD'])).stdout.trim();
    };
    return {
      git,
      commit,
      async branch(branch) {
        await eventually(() => git(['fetch', '-q', 'origin', 'main']), { within: 60_000, every: 200 });
        await git(['checkout', '-q', '-B', branch, 'FETCH_HEAD']);
        return commit(branch);
      },
      async push(branch) {
        await git(['push', '-q', 'origin', branch]);
      },
    };
  };

  const projectId = (await ok('POST', '/projects', { name: path, path })).id as number;
  await ok('POST', `/projects/${projectId}/members`, { user_id: reviewer.id, access_level: 40 });
  const first = await workingCopy('first');
  const base = await first.commit('first');
  await first.push('main');
  return {
    system,
    projectId,
    reviewer,
    base,
    ok,
    all,
    workingCopy,
    remoteSha: async (ref) => {
      const { stdout } = await eventually(() => first.git(['ls-remote', 'origin', ref]), {
        within: 60_000,
        every: 200,
      });
      return stdout.split('\t')[0] ?? '';
    },
  };
}

const image = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

/** Gives a project or group an image. */
export async function withAvatar(system: System, path: string): Promise<void> {
  const form = new FormData();
  form.set('avatar', new Blob([image]), 'avatar.png');
  const headers = { 'PRIVATE-TOKEN': system.rootToken };
  const reply = await fetch(`${system.url}/api/v4${path}`, { method: 'PUT', headers, body: form });
  if (reply.status !== 200) throw new Error(`PUT ${path} ${reply.status} ${await reply.text()}`);
}
