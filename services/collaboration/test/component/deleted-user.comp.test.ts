import { sql } from '@switchyard/database/sql';
import { userDeletedId, userEvents } from '@switchyard/events';
import { CreateIssueRequest } from '@switchyard/protos/collaboration/v1/issue';
import { CreateNoteRequest } from '@switchyard/protos/collaboration/v1/note';
import { CreateSnippetRequest } from '@switchyard/protos/collaboration/v1/snippet';
import type { UserEvent } from '@switchyard/protos/groups_admin/events/v1/user_event';
import type { DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { eventually } from '@switchyard/testkit';
import type { StoredTarget } from '../support/installation';
import { json, mergeRequestRef, type NoteFixture, startNoteFixture } from '../support/note-fixture';

let fixture: NoteFixture;
let target: StoredTarget;

beforeAll(async () => {
  fixture = await startNoteFixture();
  target = fixture.mergeRequest();
});

afterAll(() => fixture.here.close());

const issue = async (user: DirectoryUser): Promise<{ id: number; iid: number }> => {
  const request = CreateIssueRequest.fromPartial({ projectId: fixture.project.id, title: `By ${user.username}` });
  return json(await fixture.here.issues.createIssue(request, fixture.as(user)));
};

const note = async (user: DirectoryUser, body: string): Promise<{ id: number }> => {
  const request = CreateNoteRequest.fromPartial({ noteable: mergeRequestRef(target), body });
  return json(await fixture.here.notes.createNote(request, fixture.as(user)));
};

/** What a user wrote, in each table. */
const written = async ({ id }: DirectoryUser) => {
  const [row] = await fixture.here.db.query<Record<string, number>>(sql`
    select (select count(*)::int from issues where author_id = ${id}) as issues,
      (select count(*)::int from snippets where author_id = ${id}) as snippets,
      (select count(*)::int from notes where author_id = ${id} and not system) as notes,
      (select count(*)::int from award_emoji where user_id = ${id}) as reactions,
      (select count(*)::int from activity_events where author_id = ${id}) as events`);
  return row;
};
const nothing = { issues: 0, snippets: 0, notes: 0, reactions: 0, events: 0 };

const counters = async () =>
  fixture.here.db.one<{ notes: number; upvotes: number }>(sql`
    select user_notes_count as notes, upvotes from noteables where kind = 'MergeRequest' and target_id = ${target.id}`);

async function write(user: DirectoryUser): Promise<void> {
  await issue(user);
  await note(user, 'Written');
  const { id: noteId } = await note(user, 'Written again');
  const snippet = { projectId: fixture.project.id, title: 'S', visibility: 'public' };
  const files = [{ path: 'a.txt', content: 'a', action: '', previousPath: '' }];
  await fixture.here.snippets.createSnippet(CreateSnippetRequest.fromPartial({ ...snippet, files }), fixture.as(user));
  const personal = CreateSnippetRequest.fromPartial({ ...snippet, projectId: 0, files });
  await fixture.here.snippets.createSnippet(personal, fixture.here.as(user));
  for (const on of [undefined, noteId]) {
    const awardable = { noteable: mergeRequestRef(target), noteId: on };
    await fixture.here.awards.createAwardEmoji({ awardable, name: 'thumbsup' }, fixture.as(user));
  }
}

const deletion = (userId: number, hard: boolean): UserEvent => ({
  userId,
  actorId: 1,
  occurredAt: new Date(),
  fact: { $case: 'deleted', value: { ghostId: 1, hard, username: '', name: '' } },
});

it('what a user wrote goes with them, and no one else’s; counters follow', async () => {
  const { ada, bob, here } = fixture;
  await write(bob);
  await write(ada);
  await eventually(async () => expect((await written(bob))?.events).toBeGreaterThan(0));
  expect(await counters()).toEqual({ notes: 4, upvotes: 2 });
  await here.publishEvent(userEvents, deletion(ada.id, false), userDeletedId(ada.id));
  await here.publishEvent(userEvents, deletion(bob.id, true), userDeletedId(bob.id));
  await eventually(async () => {
    expect(await written(bob)).toEqual(nothing);
    expect(await here.db.query(sql`select from deleted_users`)).toHaveLength(0);
  });
  expect(await counters()).toEqual({ notes: 2, upvotes: 1 });
  expect(await written(ada)).toMatchObject({ issues: 1, snippets: 2, notes: 2, reactions: 2 });
});

it('a process that crashed goes on with what is left when it starts again', async () => {
  const { eve, here } = fixture;
  await note(eve, 'Left');
  await here.stopHere();
  await here.db.query(sql`insert into deleted_users (user_id) values (${eve.id})`);
  await here.startHere();
  await eventually(async () => {
    expect(await written(eve)).toEqual(nothing);
    expect(await here.db.query(sql`select from deleted_users`)).toHaveLength(0);
  });
});
