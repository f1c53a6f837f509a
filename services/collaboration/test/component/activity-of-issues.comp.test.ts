import { sql } from '@switchyard/database/sql';
import { issueEvents, noteEvents } from '@switchyard/events';
import { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import { NoteEvent } from '@switchyard/protos/collaboration/events/v1/note_event';
import type { DirectoryProject, DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { eventually } from '@switchyard/testkit';
import { startActivityFixture } from '../support/activity-fixture';
import { feedOf, names, type Reader } from '../support/feed';
import type { Installation } from '../support/installation';

let here: Installation;
let ada: DirectoryUser;
let eve: DirectoryUser;
let open: DirectoryProject;

beforeAll(async () => {
  ({ here, ada, eve, open } = await startActivityFixture());
});

afterAll(() => here.close());

beforeEach(async () => {
  await here.db.query(sql`truncate activity_events, removed_targets, events.inbox`);
});

const { ofUser, ofProject, received } = feedOf(() => here);

describe('activity events of issues and comments', () => {
  let issueId: number;
  const issue = (fact: IssueEvent['fact'], id: string) =>
    here.publishEvent(
      issueEvents,
      IssueEvent.fromPartial({
        issue: { id: issueId, iid: 3, projectId: open.id, authorId: ada.id, title: 'Broken' },
        actorId: ada.id,
        occurredAt: new Date(),
        fact,
      }),
      id,
    );
  const opened: IssueEvent['fact'] = {
    $case: 'created',
    value: { assigneeIds: [], labelIds: [], mentions: undefined, alertId: 0, movedFromId: 0, epicId: 0 },
  };
  const comment = async (body: string, given: { internal?: boolean; type?: string; kind?: string } = {}) => {
    const { internal = false, type = '', kind = 'Issue' } = given;
    const target = kind === 'Commit' ? { id: 0, sha: 'd'.repeat(40) } : { id: issueId, iid: 3 };
    const [noteable] = await here.db.query<{ id: number }>(sql`
      insert into noteables (kind, project_id, target_id, sha) values (${kind}, ${open.id}, ${target.id}, ${target.sha ?? ''})
      on conflict (kind, target_id, project_id, sha) do update set version = noteables.version returning id`);
    const [note] = await here.db.query<{ id: number }>(sql`
      insert into notes (noteable_id, project_id, discussion_id, starts_discussion, type, author_id, body, internal)
      values (${noteable?.id}, ${open.id}, decode(md5(random()::text) || '00000000', 'hex'), true, ${type || null}, ${eve.id}, ${body},
        ${internal}) returning id`);
    const id = note?.id ?? 0;
    const publish = (fact: 'created' | 'deleted') =>
      here.publishEvent(
        noteEvents,
        NoteEvent.fromPartial({
          noteable: { kind, projectId: open.id, title: 'Broken', ...target },
          actorId: eve.id,
          occurredAt: new Date(),
          fact: { $case: fact, value: { note: { id, type, authorId: eve.id, internal } } },
        }),
        `note.${fact}:1:${id}`,
      );
    return { id, publish };
  };

  beforeEach(async () => {
    await eventually(() => here.db.query(sql`truncate notes, noteables, issues cascade`));
    const [row] = await here.db.query<{ id: number }>(sql`
      insert into issues (iid, project_id, author_id, title) values (3, ${open.id}, ${ada.id}, 'Broken') returning id`);
    issueId = row?.id ?? 0;
  });

  it('report both, show the current comment, and are deleted with it', async () => {
    await issue(opened, 'i1');
    await issue({ $case: 'closed', value: { byMergeRequestId: 0 } }, 'i2');
    const first = await comment('Me too');
    await first.publish('created');
    const threaded = await comment('An item', { type: 'DiscussionNote' });
    await threaded.publish('created');
    const onCommit = await comment('On a line', { kind: 'Commit', type: 'DiffNote' });
    await received(await onCommit.publish('created'));
    await received('i2');
    await received(`note.created:1:${first.id}`);
    const { items } = await ofProject(open, undefined, {}, { descending: false });
    expect(items.map((item) => `${item.action_name} ${item.target_type}`).sort()).toEqual([
      'closed Issue',
      'commented on DiffNote',
      'commented on Note',
      'opened Issue',
    ]);
    const [shown] = (await ofProject(open, undefined, { action: 'commented' })).items.filter(
      (item) => item.target_type === 'Note',
    );
    expect(shown).toMatchObject({
      target_id: first.id,
      target_iid: first.id,
      target_title: 'Broken',
      note: {
        id: first.id,
        body: 'Me too',
        attachment: null,
        author: { username: 'eve' },
        system: false,
        noteable_id: issueId,
        noteable_type: 'Issue',
        noteable_iid: 3,
      },
    });
    await received(await first.publish('deleted'));
    await received(await onCommit.publish('deleted'));
    expect((await ofProject(open, undefined, { targetType: 'note' })).items).toEqual([]);
    expect(await here.db.query(sql`select 1 from activity_events where target_type = 'note'`)).toEqual([]);
  });

  it('are hidden at once with a confidential issue, an internal comment, or what is gone', async () => {
    await received(await issue(opened, 'i3'));
    const secret = await comment('Between us', { internal: true });
    await received(await secret.publish('created'));
    const seen = async (reader: Reader) => {
      const { items, page } = await ofProject(open, reader);
      expect(page.total).toBe(items.length);
      return names(items).sort();
    };
    expect(await seen(undefined)).toEqual(['opened']);
    expect(await seen(ada)).toEqual(['commented on', 'opened']);
    await here.db.query(sql`update issues set confidential = true`);
    expect(await seen(undefined)).toEqual([]);
    expect(await seen(eve)).toEqual([]);
    expect(names(await ofUser('ada', eve))).toEqual([]);
    await here.db.query(sql`insert into issue_assignees (issue_id, user_id) values (${issueId}, ${eve.id})`);
    expect(await seen(eve)).toEqual(['opened']);
    expect(await seen(ada)).toEqual(['commented on', 'opened']);
    await eventually(() => here.db.query(sql`truncate issues cascade`));
    expect(await seen(ada)).toEqual([]);
  });
});
