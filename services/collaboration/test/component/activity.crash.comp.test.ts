import { sql } from '@switchyard/database/sql';
import { dieAt, eventually, terminate } from '@switchyard/testkit';
import { created, type Installation, type StoredTarget, startInstallation } from '../support/installation';

let here: Installation;
let authorId: number;
let projectId: number;
let iid = 0;

beforeAll(async () => {
  here = await startInstallation();
  const group = here.directory.namespace();
  projectId = here.directory.project(group.id).id;
  authorId = here.directory.user().id;
});

afterAll(() => here.close());

function mergeRequest(): StoredTarget {
  iid += 1;
  return { id: iid, iid, projectId, title: `Change ${iid}` };
}

describe('a process that dies over an activity event', () => {
  it.each(['activity.written', 'activity.committed'])('at %s has it once after its restart', async (point) => {
    await here.db.query(sql`truncate activity_events`);
    const [first, second] = [mergeRequest(), mergeRequest()];
    await dieAt(point, here.startProcess, async () => {
      await here.publish(first, created(), { actorId: authorId });
      await here.publish(second, created(), { actorId: authorId });
    });

    const next = await here.startProcess();
    await eventually(
      async () =>
        expect(await here.db.query(sql`select target_id from activity_events order by target_id`)).toEqual([
          { target_id: first.id },
          { target_id: second.id },
        ]),
      { within: 20_000 },
    );
    expect(await terminate(next)).toBe(0);
  });
});
