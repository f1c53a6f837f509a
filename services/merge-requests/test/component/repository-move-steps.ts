import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { eventually, signalOf } from '@switchyard/testkit';
import { openRepository, openWiki } from '../../src/git';
import { moveRepositories } from '../../src/repositories';
import { silentBus } from '../support/stand-ins';
import { type Ground, insertProject, prepareGround } from './repository-harness';
import { git, killProcesses, processOf } from './repository-process';

/** Ends of a command that a test runs. */
export const silent = { bus: () => silentBus, write: () => undefined };

/** Points at which a move may die, and the side that the repository lies on then. */
export const pointsOfMoves = [
  ['move.copied', 'from'],
  ['move.placed', 'from'],
  ['move.recorded', 'to'],
] as const;

/** Moves a project to a storage in a process that dies at a point. @returns the signal that ended it */
export async function moveUntil(
  point: string,
  ground: Ground,
  environment: NodeJS.ProcessEnv,
  projectId: number,
  storage: string,
): Promise<NodeJS.Signals | null> {
  const faultFile = join(mkdtempSync(join(ground.folder, 'fault-')), 'fault');
  writeFileSync(faultFile, point);
  const child = spawn(
    process.execPath,
    [
      '--require',
      join(__dirname, '../../../../libs/testkit/jest/register-ts.cjs'),
      join(__dirname, 'repository-move-process.ts'),
      ground.databaseUrl,
      JSON.stringify(environment),
      String(projectId),
      storage,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, NODE_ENV: 'test', FAULT_FILE: faultFile } },
  );
  return signalOf(child);
}

/** Has the former copy of a project's repository removed now, not after the hour for which it stays. @returns a row for each such job */
export const removeFormerNow = (db: Database, projectId: number) =>
  db.query(sql`
    with due as (
      update jobs set run_at = now() where kind = 'remove_former_copy' and project_id = ${projectId} returning id)
    select id, pg_notify('switchyard_jobs', '')::text from due`);

/** Processes between whose storages a repository moves. */
export interface MoveLayout {
  /** Of the process that is pushed to, and has the first copy. */
  readonly from: NodeJS.ProcessEnv;
  /** Of the process that removes it; undefined: the same one. */
  readonly to: NodeJS.ProcessEnv | undefined;
  /** Folders of both storages. */
  readonly folders: { readonly from: string; readonly to: string };
}

/** Moves a repository from `default` to `second`, and kills the process that removes the former copy at each point. */
export async function removeThroughDeaths(layoutOn: (ground: Ground) => MoveLayout): Promise<void> {
  const own = await prepareGround();
  const db = openDatabase({ url: own.databaseUrl, applicationName: 'repository move test' });
  const { from, to, folders } = layoutOn(own);
  const remover = to ?? from;
  try {
    await insertProject(db, 1);
    const points = ['move.objects_followed', 'move.former_removed'];
    const removing = to === undefined ? own : { ...own };
    const [first, pushedTo] = await Promise.all([
      processOf(removing, points[0], remover),
      processOf(own, undefined, from),
    ]);
    const folder = join(own.folder, 'work');
    await git('/', 'init', '--quiet', '--initial-branch=main', folder);
    await git(folder, 'commit', '--quiet', '--allow-empty', '-m', 'First');
    for (const path of ['group/project1', 'group/project1.wiki'])
      await git(folder, 'push', '--quiet', pushedTo.remote(path), 'main');
    await moveRepositories.run({ db, ...silent }, ['group/project1', 'second'], {
      SWITCHYARD_DATA: own.folder,
      SWITCHYARD_IDENTITY_KEY_FILE: join(own.folder, 'merge-requests.pem'),
      ...remover,
    });
    await removeFormerNow(db, 1);
    expect(await first.exited).toBe('SIGKILL');
    const left = () => [openRepository, openWiki].map((open) => existsSync(open(folders.from, 1).path));
    expect(left()).toEqual([true, true]);
    const second = await processOf(removing, points[1], remover);
    expect(await second.exited).toBe('SIGKILL');
    expect(left()).toEqual([false, false]);
    await processOf(removing, undefined, remover);
    await eventually(
      async () => {
        expect(await db.query(sql`select former_storage as former from repositories`)).toEqual([{ former: null }]);
      },
      { within: 30_000 },
    );
    for (const open of [openRepository, openWiki]) await git(open(folders.to, 1).path, 'fsck', '--strict');
  } finally {
    await killProcesses();
    await db.close();
    await own.close();
  }
}
