import { sql } from '@switchyard/database/sql';
import { membershipEvents, milestoneEvents, projectEvents, repositoryPushed, snippetEvents } from '@switchyard/events';
import { SnippetEvent } from '@switchyard/protos/collaboration/events/v1/snippet_event';
import type { EventFilter } from '@switchyard/protos/collaboration/v1/event';
import { MemberRemoved_Reason, MembershipEvent } from '@switchyard/protos/groups_admin/events/v1/membership_event';
import { MilestoneEvent } from '@switchyard/protos/groups_admin/events/v1/milestone_event';
import { ProjectEvent } from '@switchyard/protos/groups_admin/events/v1/project_event';
import type { DirectoryProject, DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { MergeRequestActed_Kind } from '@switchyard/protos/merge_requests/events/v1/merge_request_event';
import { RepositoryPushedEvent } from '@switchyard/protos/merge_requests/events/v1/push';
import type { PageRequest } from '@switchyard/protos/rpc/v1/representation';
import { startActivityFixture } from '../support/activity-fixture';
import { feedOf, names, type Reader } from '../support/feed';
import { created, type Installation, type StoredTarget, updated } from '../support/installation';

let here: Installation;
let ada: DirectoryUser;
let bob: DirectoryUser;
let eve: DirectoryUser;
let root: DirectoryUser;
let open: DirectoryProject;
let closed: DirectoryProject;
let iid = 0;
const zeros = '0'.repeat(40);

beforeAll(async () => {
  ({ here, ada, bob, eve, root, open, closed } = await startActivityFixture());
});

afterAll(() => here.close());

beforeEach(async () => {
  await here.db.query(sql`truncate activity_events, removed_targets, events.inbox`);
});

const { own, ofUser, ofProject, received } = feedOf(() => here);

function mergeRequest(project: DirectoryProject, title = 'Faster'): StoredTarget {
  iid += 1;
  return { id: 500 + iid, iid, projectId: project.id, title };
}

let pushes = 0;
function push(project: DirectoryProject, given: Partial<RepositoryPushedEvent> = {}): Promise<string> {
  pushes += 1;
  const payload = RepositoryPushedEvent.fromPartial({
    projectId: project.id,
    authorId: ada.id,
    ref: 'refs/heads/main',
    refName: 'main',
    refType: 'branch',
    action: 'pushed',
    before: 'a'.repeat(40),
    after: 'b'.repeat(40),
    commitCount: 2,
    commitTitle: 'Second',
    occurredAt: new Date(),
    pushId: `push-${pushes}`,
    refCount: 1,
    ...given,
  });
  return here.publishEvent(repositoryPushed, payload, `repository.pushed:${pushes}`);
}

const day = (text: string): Date => new Date(`${text}Z`);

describe('activity events', () => {
  it('report merge requests in the words of the interface', async () => {
    const target = mergeRequest(open);
    await here.publish(target, created(), { actorId: ada.id, occurredAt: day('2026-01-02T03:04:05.678') });
    await here.publish(
      target,
      {
        $case: 'acted',
        value: {
          kind: MergeRequestActed_Kind.KIND_APPROVED,
          push: undefined,
          approved: undefined,
          lostApprovalUserIds: [],
        },
      },
      {
        actorId: eve.id,
        cause: 'a1',
      },
    );
    await here.publish(
      target,
      {
        $case: 'acted',
        value: {
          kind: MergeRequestActed_Kind.KIND_COMMENTED,
          push: undefined,
          approved: undefined,
          lostApprovalUserIds: [],
        },
      },
      {
        actorId: eve.id,
        cause: 'c1',
      },
    );
    await here.publish(target, { $case: 'closed', value: {} }, { actorId: ada.id, cause: 2 });
    await here.publish(target, { $case: 'reopened', value: {} }, { actorId: ada.id, cause: 3 });
    const last = { $case: 'merged' as const, value: { mergeCommitSha: 'c'.repeat(40), targetBranch: 'main' } };
    await received(await here.publish(target, last, { actorId: eve.id, cause: 4 }));
    const { items, page } = await ofProject(open, undefined);
    expect(names(items)).toEqual(['accepted', 'opened', 'closed', 'approved', 'opened']);
    expect(page.total).toBe(5);
    expect(items[4]).toEqual({
      id: expect.any(Number),
      project_id: open.id,
      title: null,
      action_name: 'opened',
      target_id: target.id,
      target_iid: target.iid,
      target_type: 'MergeRequest',
      author_id: ada.id,
      target_title: 'Faster',
      created_at: '2026-01-02T03:04:05.678Z',
      author: expect.objectContaining({ id: ada.id, username: 'ada', web_url: 'https://code.example/ada' }),
      imported: false,
      imported_from: 'none',
      author_username: 'ada',
      data: null,
    });
    expect(names(await own(eve))).toEqual(['accepted', 'approved']);
    expect((await own(eve))[0]).not.toHaveProperty('data');
    expect(names(await ofUser('eve', undefined))).toEqual(['accepted', 'approved']);
    expect(names(await ofUser(String(ada.id), bob))).toEqual(['opened', 'closed', 'opened']);
    const shy = here.directory.user({ username: 'shy', privateProfile: true });
    await received(await here.publish(mergeRequest(open), created(), { actorId: shy.id }));
    expect([await ofUser('shy', ada), await ofUser('SHY', undefined)]).toEqual([[], []]);
    expect(names(await ofUser('shy', shy))).toEqual(['opened']);
    expect(names(await ofUser('shy', { id: root.id, admin: true }))).toEqual(['opened']);
    expect(names((await ofProject(open, ada)).items)).toHaveLength(6);
    await expect(ofUser('nobody', ada)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(ofUser('999999', ada)).rejects.toMatchObject({ kind: 'not_found' });
    await expect(own(undefined)).rejects.toMatchObject({ kind: 'unauthorized' });
  });

  it('follow the title of their target, and go with it for good', async () => {
    const target = mergeRequest(open);
    await here.publish(target, created(), { actorId: ada.id });
    const retitled = updated();
    if (retitled.$case === 'updated') retitled.value.changedFields = ['title'];
    const renamed = { ...target, title: 'Faster still' };
    await received(await here.publish(renamed, retitled, { actorId: ada.id, cause: 2 }));
    expect((await ofProject(open, undefined)).items[0].target_title).toBe('Faster still');
    await received(await here.publish(target, { $case: 'deleted', value: {} }, { actorId: ada.id }));
    expect((await ofProject(open, root)).items).toEqual([]);
    await received(await here.publish(target, { $case: 'closed', value: {} }, { actorId: ada.id, cause: 9 }));
    expect((await ofProject(open, root)).items).toEqual([]);
  });

  it('report pushes: new, changed and removed refs, and many at once as one', async () => {
    await push(open, { action: 'created', before: zeros, commitCount: 1, commitTitle: 'First' });
    await push(open);
    await push(open, { action: 'removed', after: zeros, commitCount: 0, commitTitle: '' });
    const at = new Date();
    let last = '';
    for (let tag = 1; tag <= 4; tag += 1) {
      last = await push(open, {
        refType: 'tag',
        refName: `v${tag}`,
        action: 'created',
        before: zeros,
        pushId: 'many',
        refCount: 4,
        occurredAt: at,
      });
    }
    await received(last);
    await received(await push(open, { authorId: 0 }));
    const { items } = await ofProject(open, undefined, { action: 'pushed' });
    expect(names(items)).toEqual(['pushed new', 'deleted', 'pushed to', 'pushed new']);
    expect(items.map((item) => item.push_data)).toEqual([
      {
        commit_count: 0,
        action: null,
        ref_type: null,
        commit_from: null,
        commit_to: null,
        ref: null,
        commit_title: null,
        ref_count: 4,
      },
      expect.objectContaining({ action: 'removed', commit_from: 'a'.repeat(40), commit_to: null, commit_title: null }),
      {
        commit_count: 2,
        action: 'pushed',
        ref_type: 'branch',
        commit_from: 'a'.repeat(40),
        commit_to: 'b'.repeat(40),
        ref: 'main',
        commit_title: 'Second',
        ref_count: null,
      },
      expect.objectContaining({ action: 'created', commit_from: null, commit_title: 'First' }),
    ]);
  });

  it('report created projects, and members who are added and removed', async () => {
    const made = ProjectEvent.fromPartial({
      projectId: open.id,
      actorId: ada.id,
      occurredAt: new Date(),
      fact: { $case: 'created', value: {} },
    });
    await received(await here.publishEvent(projectEvents, made, `project_created:${open.id}`));
    const member = (fact: MembershipEvent['fact'], given: Partial<MembershipEvent> = {}) =>
      MembershipEvent.fromPartial({
        membershipId: 1,
        userId: eve.id,
        projectId: open.id,
        occurredAt: new Date(),
        fact,
        ...given,
      });
    const removed = (reason: MemberRemoved_Reason) => ({
      $case: 'removed' as const,
      value: { reason, directorySequence: 0 },
    });
    const added = { $case: 'added' as const, value: { accessLevel: 30 } };
    await here.publishEvent(membershipEvents, member(added), 'member_added:1:1');
    await here.publishEvent(membershipEvents, member(removed(MemberRemoved_Reason.REASON_LEFT)), 'member_removed:1');
    await here.publishEvent(membershipEvents, member(removed(MemberRemoved_Reason.REASON_EXPIRED)), 'member_removed:2');
    await here.publishEvent(
      membershipEvents,
      member(removed(MemberRemoved_Reason.REASON_PARENT_DELETED)),
      'member_removed:3',
    );
    await received(
      await here.publishEvent(membershipEvents, member(added, { projectId: 0, groupId: 7 }), 'member_added:4:1'),
    );
    const { items } = await ofProject(open, undefined);
    expect(names(items)).toEqual(['removed due to membership expiration from', 'left', 'joined', 'created']);
    expect(items[3]).toMatchObject({ target_id: null, target_type: null, target_title: null });
    expect(names((await ofProject(open, undefined, { targetType: 'project' })).items)).toEqual(['created']);
  });

  it('report snippets to users who see them', async () => {
    const [row] = await here.db.query<{ id: number }>(sql`
      insert into snippets (project_id, author_id, title, visibility) values (${open.id}, ${eve.id}, 'Script', 'private') returning id`);
    const snippetId = row?.id ?? 0;
    const snippet = (fact: string, title = 'Script') =>
      here.publishEvent(
        snippetEvents,
        SnippetEvent.fromPartial({
          snippetId,
          projectId: open.id,
          title,
          actorId: eve.id,
          occurredAt: new Date(),
          fact: { $case: fact, value: {} } as never,
        }),
        `snippet_${fact}:1`,
      );
    await snippet('created');
    await received(await snippet('renamed', 'Tool'));
    const seen = async (reader: Reader) => names((await ofProject(open, reader, { targetType: 'snippet' })).items);
    expect([await seen(undefined), await seen(bob), await seen(ada), await seen(eve)]).toEqual([
      [],
      [],
      ['opened'],
      ['opened'],
    ]);
    await here.db.query(sql`update snippets set visibility = 'internal'`);
    expect([await seen(undefined), await seen(bob)]).toEqual([[], ['opened']]);
    const [item] = (await ofProject(open, ada)).items;
    expect(item).toMatchObject({
      target_type: 'Snippet',
      target_id: snippetId,
      target_iid: snippetId,
      target_title: 'Tool',
    });
    await received(await snippet('deleted'));
    expect(await here.db.query(sql`select 1 from activity_events`)).toEqual([]);
    await here.db.query(sql`delete from snippets`);
  });

  it('report milestones, their deletion too', async () => {
    const milestone = (fact: string, given: Partial<MilestoneEvent> = {}) =>
      here.publishEvent(
        milestoneEvents,
        MilestoneEvent.fromPartial({
          milestoneId: 6,
          iid: 2,
          projectId: open.id,
          title: 'First',
          actorId: ada.id,
          occurredAt: new Date(),
          fact: { $case: fact, value: {} } as never,
          ...given,
        }),
        `milestone_${fact}:6${given.title ?? ''}${given.projectId ?? ''}`,
      );
    await milestone('created');
    await milestone('closed');
    await milestone('activated');
    await milestone('created', { projectId: 0, groupId: 3 });
    await received(await milestone('renamed', { title: 'Second' }));
    const { items } = await ofProject(open, undefined, { targetType: 'milestone' });
    expect(names(items)).toEqual(['opened', 'closed', 'opened']);
    expect(items[0]).toMatchObject({ target_id: 6, target_iid: 2, target_type: 'Milestone', target_title: 'Second' });
    await received(await milestone('deleted'));
    expect(names((await ofProject(open, undefined)).items)).toEqual(['destroyed']);
  });

  it('are neither shown to nor counted for those who may not see what they are about', async () => {
    const target = mergeRequest(closed, 'Secret');
    await received(await here.publish(target, created(), { actorId: ada.id }));
    await received(await push(closed));
    const joined = MembershipEvent.fromPartial({
      membershipId: 11,
      userId: bob.id,
      projectId: closed.id,
      occurredAt: new Date(),
      fact: { $case: 'added', value: { accessLevel: 10 } },
    });
    await received(await here.publishEvent(membershipEvents, joined, 'member_added:11:1'));
    const seen = async (reader: Reader) => {
      const { items, page } = await ofProject(closed, reader);
      expect(page.total).toBe(items.length);
      return names(items);
    };
    expect(await seen(ada)).toEqual(['joined', 'pushed to', 'opened']);
    expect(await seen({ id: root.id, admin: true })).toEqual(['joined', 'pushed to', 'opened']);
    expect(await seen(bob)).toEqual(['joined']);
    expect(await seen(eve)).toEqual([]);
    expect(await seen(undefined)).toEqual([]);
    expect(names(await ofUser('ada', bob))).toEqual([]);
    expect(names(await ofUser('ada', ada))).toEqual(['pushed to', 'opened']);
    expect(names(await own(bob, {}, true))).toEqual(['joined']);
    expect(names(await own(ada, {}, true))).toEqual(['joined', 'pushed to', 'opened']);
    expect(names(await own({ id: root.id, admin: true }, {}, true))).toEqual([]);
  });

  it('are filtered, sorted, and paged both ways', async () => {
    const days = ['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'];
    const targets = days.map(() => mergeRequest(open));
    for (const [at, target] of targets.entries())
      await received(
        await here.publish(target, created(), { actorId: ada.id, occurredAt: day(`${days[at]}T00:00:00.000`) }),
      );
    const end = { actorId: eve.id, occurredAt: day('2026-01-03T23:59:59.999'), cause: 5 };
    await received(await here.publish(targets[0] as StoredTarget, { $case: 'closed', value: {} }, end));
    const iids = async (filter: Partial<EventFilter>, page: Partial<PageRequest> = {}) =>
      (await ofProject(open, undefined, filter, page)).items.map((item) => item.created_at.slice(0, 10));
    expect(await iids({})).toEqual(['2026-01-04', '2026-01-03', '2026-01-03', '2026-01-02', '2026-01-01']);
    expect(await iids({}, { descending: false, perPage: 2 })).toEqual(['2026-01-01', '2026-01-02']);
    expect(await iids({ before: '2026-01-03' })).toEqual(['2026-01-02', '2026-01-01']);
    expect(await iids({ after: '2026-01-03' })).toEqual(['2026-01-04']);
    expect(await iids({ after: '2026-01-01', before: '2026-01-03' })).toEqual(['2026-01-02']);
    expect(await iids({ action: 'closed' })).toEqual(['2026-01-03']);
    expect(await iids({ targetType: 'issue' })).toEqual([]);
    expect(await iids({ targetType: 'merge_request', action: 'created' }, { page: 2, perPage: 3 })).toEqual([
      '2026-01-01',
    ]);

    const walked: string[] = [];
    let cursor = '';
    do {
      const { items, page } = await ofProject(open, undefined, {}, { keyset: true, perPage: 2, cursor });
      walked.push(...items.map((item) => item.created_at));
      cursor = page.nextCursor;
    } while (cursor !== '');
    expect(walked).toHaveLength(5);
    expect([...walked].sort().reverse()).toEqual(walked);
  });

  it('are stored once, however often the bus delivers them', async () => {
    const target = mergeRequest(open);
    const at = { actorId: ada.id, occurredAt: new Date() };
    const id = await here.publish(target, created(), at);
    await received(id);
    await here.db.query(sql`truncate events.inbox`);
    await received(await here.publish(target, created(), at));
    expect((await ofProject(open, undefined)).page.total).toBe(1);
  });
});
