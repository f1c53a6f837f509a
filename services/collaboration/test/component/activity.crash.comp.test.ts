import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from '@switchyard/database';
import { eventually } from '@switchyard/testkit';
import { created, type Installation, type StoredTarget, startInstallation } from '../support/installation';

let here: Installation;
let authorId: number;
let projectId: number;
let folder: string;
let iid = 0;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-activity-fault-'));
  here = await startInstallation();
  const group = here.directory.namespace();
  projectId = here.directory.project(group.id).id;
  authorId = here.directory.user().id;
});

afterAll(async () => {
  await here.close();
  rmSync(folder, { recursive: true, force: true });
});

const end = (child: ChildProcess) =>
  new Promise<NodeJS.Signals | null>((settle) => child.once('exit', (_code, signal) => settle(signal)));

function mergeRequest(): StoredTarget {
  iid += 1;
  return { id: iid, iid, projectId, title: `Change ${iid}` };
}

describe('a process that dies over an activity event', () => {
  it.each(['activity.written', 'activity.committed'])('at %s has it once after its restart', async (point) => {
    const file = join(folder, point);
    writeFileSync(file, point);
    await here.db.query(sql`truncate activity_events`);
    const dying = await here.startProcess({ FAULT_FILE: file });
    const [first, second] = [mergeRequest(), mergeRequest()];
    const gone = end(dying);
    await here.publish(first, created(), { actorId: authorId });
    await here.publish(second, created(), { actorId: authorId });
    expect(await gone).toBe('SIGKILL');
    expect(existsSync(`${file}.fired`)).toBe(true);

    const next = await here.startProcess();
    await eventually(
      async () =>
        expect(await here.db.query(sql`select target_id from activity_events order by target_id`)).toEqual([
          { target_id: first.id },
          { target_id: second.id },
        ]),
      { within: 20_000 },
    );
    const stopped = end(next);
    next.kill('SIGTERM');
    await stopped;
    expect(next.exitCode).toBe(0);
  });
});
