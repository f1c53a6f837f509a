import { sql } from '@switchyard/database/sql';
import type { DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { dieAt, eventually, terminate } from '@switchyard/testkit';
import { created, type Installation, type StoredTarget, startInstallation } from '../support/installation';

let here: Installation;
let ada: DirectoryUser;
let bob: DirectoryUser;
let projectId: number;
let iid = 0;

beforeAll(async () => {
  here = await startInstallation();
  const group = here.directory.namespace();
  projectId = here.directory.project(group.id).id;
  [ada, bob] = [here.directory.user(), here.directory.user()];
  here.directory.member(ada.id, { namespaceId: group.id }, 40);
  here.directory.member(bob.id, { namespaceId: group.id }, 30);
});

afterAll(() => here.close());

function mergeRequest(): StoredTarget {
  iid += 1;
  return { id: iid, iid, projectId, title: `Change ${iid}` };
}

const todos = () => here.db.query(sql`select user_id, action, target_id from todos order by target_id, user_id`);

describe('a process that dies over a to-do', () => {
  it.each(['todo.written', 'todo.committed', 'consumer.committed'])(
    'at %s raises it once after its restart',
    async (point) => {
      await here.db.query(sql`truncate todos`);
      const [first, second] = [mergeRequest(), mergeRequest()];
      await dieAt(point, here.startProcess, async () => {
        await here.publish(first, created([bob.id]), { actorId: ada.id });
        await here.publish(second, created([bob.id, ada.id]), { actorId: ada.id });
      });

      const next = await here.startProcess();
      await eventually(
        async () =>
          expect(await todos()).toEqual([
            { user_id: bob.id, action: 'assigned', target_id: first.id },
            { user_id: ada.id, action: 'assigned', target_id: second.id },
            { user_id: bob.id, action: 'assigned', target_id: second.id },
          ]),
        { within: 20_000 },
      );
      expect(await terminate(next)).toBe(0);
    },
  );
});
