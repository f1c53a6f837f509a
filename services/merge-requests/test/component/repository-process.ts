import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually, signalOf } from '@switchyard/testkit';
import { type Ground, gitEnvironment, type Person, people } from './repository-harness';

const run = promisify(execFile);

/** Runs git; resolves with what it printed. */
export const git = async (cwd: string, ...args: string[]): Promise<string> =>
  (await run('git', args, { cwd, env: gitEnvironment })).stdout.trim();

/** Service and gateway in a process of their own. */
export interface RepositoryProcess {
  readonly url: string;
  /** Settles with the signal that ended it. */
  readonly exited: Promise<NodeJS.Signals | null>;
  /** Whether its fault has fired. */
  fired(): boolean;
  /** A request of the API; resolves with the body whatever the status. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
  api(person: Person, method: string, path: string, body?: unknown): Promise<any>;
  /** Address for git, with the maintainer's token as the password. */
  remote(path: string): string;
}

interface Running {
  readonly child: ChildProcess;
  readonly faultFile: string;
  readonly listening: Promise<RepositoryProcess>;
}

/** The last process of each ground. */
const last = new Map<Ground, Running>();

/** Kills what `processOf` started, for one ground or for all. */
export async function killProcesses(only?: Ground): Promise<void> {
  for (const [ground, { child }] of last) {
    if (only !== undefined && ground !== only) continue;
    child.kill('SIGKILL');
    await signalOf(child);
    last.delete(ground);
  }
}

/**
 * The process of a ground: the one that runs, else a new one, for a start takes as long as the rest of a test.
 * @param fault (`<name>[:nth]`) arms a fault point in it: what a test began before must have passed it
 */
export async function processOf(
  ground: Ground,
  fault?: string,
  further: NodeJS.ProcessEnv = {},
): Promise<RepositoryProcess> {
  const known = last.get(ground);
  const runs = known?.child.exitCode === null && known.child.signalCode === null;
  const faultFile = runs ? known.faultFile : join(mkdtempSync(join(ground.folder, 'fault-')), 'fault');
  if (fault !== undefined) writeFileSync(faultFile, fault);
  if (runs) return known.listening;
  const child = spawn(
    process.execPath,
    [
      '--require',
      join(__dirname, '../../../../libs/testkit/jest/register-ts.cjs'),
      join(__dirname, 'repository-fault-process.ts'),
      ground.databaseUrl,
      ground.folder,
      JSON.stringify(further),
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_ENV: 'test', FAULT_FILE: faultFile } },
  );
  const exited = signalOf(child);
  const listening = new Promise<string>((settle, fail) => {
    child.stdout.once('data', (line: Buffer) => settle(line.toString().trim()));
    child.once('exit', () => fail(new Error('the process ended before it listened')));
  }).then((url) => ({
    url,
    exited,
    fired: () => existsSync(`${faultFile}.fired`),
    async api(person: Person, method: string, path: string, body?: unknown) {
      const response = await fetch(`${url}/api/v4${path}`, {
        method,
        headers: { 'private-token': person.token, 'content-type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const text = await response.text();
      return text === '' ? undefined : JSON.parse(text);
    },
    remote: (path: string) => `${url.replace('http://', `http://git:${people.maintainer.token}@`)}/${path}.git`,
  }));
  last.set(ground, { child, faultFile, listening });
  return listening;
}

/** Waits until all pushes to a project are dealt with. */
export async function expectPushesHandled(db: Database, projectId: number): Promise<void> {
  await eventually(
    async () => {
      const [left] = await db.query<{ count: number }>(sql`
        select count(*) as count from ref_change_intents
        where project_id = ${projectId} and (state = 'open' or (state = 'done' and handled_at is null))`);
      expect(left?.count).toBe(0);
    },
    { within: 40_000, every: 100 },
  );
}
