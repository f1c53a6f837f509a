import { sql } from '@switchyard/database';
import { CreateIssueRequest } from '@switchyard/protos/collaboration/v1/issue';
import type { DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { eventually } from '@switchyard/testkit';
import { type Item, json, type NoteScene, pageOf, startNoteScene } from '../support/note-scene';

let scene: NoteScene;

beforeAll(async () => {
  scene = await startNoteScene();
});

afterAll(() => scene.here.close());

const open = async (given: Partial<CreateIssueRequest> = {}, user = scene.ada): Promise<Item> => {
  const request = CreateIssueRequest.fromPartial({ projectId: scene.project.id, title: 'Broken', ...given });
  return json(await scene.here.issues.createIssue(request, scene.as(user)));
};

const refOf = ({ project_id: projectId, iid }: Item) => ({
  projectId,
  target: { $case: 'issueIid' as const, value: iid },
});

const say = async (issue: Item, body: string, user: DirectoryUser = scene.bob, internal = false): Promise<Item> =>
  json(
    await scene.here.notes.createNote({ noteable: refOf(issue), body, internal, createdAt: undefined }, scene.as(user)),
  );

const participants = async ({ iid }: Item, user: DirectoryUser): Promise<string[]> => {
  const request = { projectId: scene.project.id, iid, page: pageOf() };
  return json(await scene.here.issues.listIssueParticipants(request, scene.as(user))).map((one: Item) => one.username);
};

/** Deletes an issue in a transaction that ends once others wait for it. */
const whileDeleted = (issue: Item, work: () => Promise<unknown>): Promise<[Promise<unknown>]> =>
  scene.here.db.transaction(async (tx) => {
    await tx.query(sql`delete from issues where id = ${issue.id}`);
    const outcome = work().catch((error: unknown) => error);
    await eventually(async () => {
      const waiting = await tx.query(sql`
        select 1 from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock' and pid <> pg_backend_pid()`);
      expect(waiting).not.toEqual([]);
    });
    return [outcome];
  });

describe('an issue', () => {
  it('that is deleted at this moment is commented on, reacted to and subscribed to by nobody', async () => {
    const { here, bob } = scene;
    const react = (issue: Item) =>
      here.awards.createAwardEmoji(
        { awardable: { noteable: refOf(issue), noteId: undefined }, name: 'star' },
        scene.as(bob),
      );
    const subscribe = (issue: Item) =>
      here.issues.setIssueSubscription(
        { projectId: scene.project.id, iid: issue.iid, subscribed: true },
        scene.as(bob),
      );
    for (const work of [(issue: Item) => say(issue, 'Me too'), react, subscribe]) {
      const issue = await open();
      const [outcome] = await whileDeleted(issue, () => work(issue));
      expect(await outcome).toMatchObject({ kind: 'not_found' });
    }
  });

  it('names those who wrote internal notes alone to whoever reads these', async () => {
    const { ada, bob, eve, mallory } = scene;
    const issue = await open();
    await say(issue, 'between us', bob, true);
    const [seen, hidden] = [[ada.username, bob.username], [ada.username]];
    expect([await participants(issue, ada), await participants(issue, bob)]).toEqual([seen, seen]);
    expect([await participants(issue, eve), await participants(issue, mallory)]).toEqual([hidden, hidden]);
    await say(issue, 'for all');
    await say(issue, 'between us again', bob, true);
    expect(await participants(issue, eve)).toEqual(seen);
  });
});
