import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { signalOf } from '@switchyard/testkit';
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

const running = new Set<ChildProcess>();

/** Kills what `startProcess` started. */
export function killProcesses(): void {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
}

/** Starts a process on a ground; `fault` (`<name>[:nth]`) arms a fault point in it. */
export async function startProcess(
  ground: Ground,
  fault?: string,
  further: NodeJS.ProcessEnv = {},
): Promise<RepositoryProcess> {
  const faultFile = join(mkdtempSync(join(ground.folder, 'fault-')), 'fault');
  if (fault !== undefined) writeFileSync(faultFile, fault);
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
  running.add(child);
  const exited = signalOf(child);
  const url = await new Promise<string>((settle, fail) => {
    child.stdout.once('data', (line: Buffer) => settle(line.toString().trim()));
    child.once('exit', () => fail(new Error('the process ended before it listened')));
  });
  return {
    url,
    exited,
    fired: () => existsSync(`${faultFile}.fired`),
    async api(person, method, path, body) {
      const response = await fetch(`${url}/api/v4${path}`, {
        method,
        headers: { 'private-token': person.token, 'content-type': 'application/json' },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const text = await response.text();
      return text === '' ? undefined : JSON.parse(text);
    },
    remote: (path) => `${url.replace('http://', `http://git:${people.maintainer.token}@`)}/${path}.git`,
  };
}
