import { TitleFilter_Kind as Title, UserFilter_Kind as User } from '@switchyard/protos/rpc/v1/filter';
import { TimeTracking_Kind as Tracking } from '@switchyard/protos/rpc/v1/time_tracking';
import { entity, json, page } from '@switchyard/rpc';
import { actor, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const token = { token: 'glpat-issues' };
const empty = async () => page([], { keyset: false, page: 1, perPage: 20, total: 0, hasNext: false });

const times = async () =>
  entity({ time_estimate: 0, total_time_spent: 0, human_time_estimate: null, human_total_time_spent: null });

describe('issues', () => {
  let gateway: TestGateway;
  let unchanged = false;

  beforeAll(async () => {
    gateway = await startTestGateway({
      access: ({ token: presented, target }) =>
        resolved({
          actor: presented === '' ? undefined : actor({ admin: true }),
          ...(target === undefined ? {} : { access: projectAccess({ visibility: 'public' }) }),
        }),
      fakes: {
        'IssueService/ListIssues': empty,
        'IssueService/ListIssueParticipants': empty,
        'IssueService/ListMergeRequestsOfIssue': empty,
        'IssueService/ListIssuesOfMergeRequest': empty,
        'IssueService/GetIssuesStatistics': async () =>
          entity({ statistics: { counts: { all: 3, opened: 2, closed: 1 } } }),
        'IssueService/TrackIssueTime': times,
        'MergeRequestService/TrackMergeRequestTime': times,
        'MergeRequestService/GetMergeRequestTimeStats': times,
        'IssueService/SetIssueSubscription': async () => (unchanged ? json(Buffer.alloc(0), 304) : refusal()),
      },
      otherwise: async () => refusal(),
    });
  });
  afterAll(() => gateway.close());

  /** What is asked matters here; a whole issue as the answer would say nothing more. */
  const refusal = () => {
    throw new Error('not answered here');
  };
  // biome-ignore lint/suspicious/noExplicitAny: tests look into requests freely
  const asked = (): any => gateway.calls.at(-1)?.request;
  const send = async (method: string, path: string, body?: unknown) => {
    gateway.calls.length = 0;
    const reply = await gateway.send(method, path, { ...token, body });
    return { ...reply, reached: gateway.calls.some(({ rpc }) => rpc.startsWith('IssueService/')) };
  };

  it('passes every filter of a list on', async () => {
    const filters = [
      'state=closed&scope=assigned-to-me&labels=a,b&milestone=M&author_username=ada&assignee_id=Any',
      'my_reaction_emoji=star&iids[]=1&iids[]=2&search=x+y&in=title&confidential=true&issue_type=task&weight=0&health_status=Any',
      'due_date=0&created_after=2026-01-01&updated_before=2026-02-01T00:00:00Z&non_archived=false',
      'not[labels]=c&not[author_id]=4&not[weight]=2&not[health_status]=at_risk&with_labels_details=1&order_by=due_date&sort=asc&per_page=3',
    ];
    const reply = await send('GET', `/groups/1/issues?${filters.join('&')}`);
    expect(reply.status).toBe(200);
    expect(asked()).toMatchObject({
      projectId: 0,
      groupId: 1,
      withLabelsDetails: true,
      page: { perPage: 3, orderBy: 'due_date', descending: false },
      filter: {
        state: 'closed',
        scope: 'assigned_to_me',
        labels: { kind: Title.KIND_TITLES, titles: ['a', 'b'] },
        milestone: { kind: Title.KIND_TITLES, titles: ['M'] },
        author: { kind: User.KIND_USERS, usernames: ['ada'] },
        assignee: { kind: User.KIND_ANY },
        reaction: { kind: Title.KIND_TITLES, titles: ['star'] },
        iids: [1, 2],
        search: 'x y',
        searchTitle: true,
        searchDescription: false,
        confidential: true,
        issueType: 'task',
        weight: { none: false, any: false, weight: 0 },
        healthStatus: 'any',
        dueDate: 'none',
        createdAfter: new Date('2026-01-01T00:00:00Z'),
        updatedBefore: new Date('2026-02-01T00:00:00Z'),
        nonArchived: false,
        not: {
          labels: { kind: Title.KIND_TITLES, titles: ['c'] },
          author: { kind: User.KIND_USERS, ids: [4] },
          weight: { weight: 2 },
          healthStatus: 'at_risk',
        },
      },
    });
  });

  it.each([
    ['milestone=None', Title.KIND_NONE],
    ['milestone=any', Title.KIND_ANY],
    ['milestone_id=Upcoming', Title.KIND_UPCOMING],
    ['milestone_id=started', Title.KIND_STARTED],
    ['milestone=%23upcoming', Title.KIND_UPCOMING],
    ['', Title.KIND_UNSPECIFIED],
  ])('reads %j as a milestone', async (query, kind) => {
    await send('GET', `/projects/1/issues?${query}`);
    expect(asked().filter.milestone.kind).toBe(kind);
  });

  it('passes over names that are empty, and reads the words of weights also in what must not match', async () => {
    await send(
      'GET',
      '/projects/1/issues?author_username=&assignee_username[]=&not[author_username]=&not[weight]=None',
    );
    const { author, assignee, not } = asked().filter;
    for (const { kind } of [author, assignee, not.author]) expect(kind).toBe(User.KIND_UNSPECIFIED);
    expect(not.weight).toMatchObject({ none: true, any: false });
  });

  it('lists the whole instance to whom it belongs, one’s own by default', async () => {
    await send('GET', '/issues');
    expect(asked()).toMatchObject({ projectId: 0, groupId: 0, filter: { scope: 'created_by_me', nonArchived: true } });
    await send('GET', '/issues?scope=all');
    expect(asked()).toMatchObject({ filter: { scope: '' } });
    expect((await gateway.send('GET', '/issues')).status).toBe(401);
    expect((await gateway.send('GET', '/issues?scope=all')).status).toBe(200);
    expect((await gateway.send('GET', '/issues_statistics')).status).toBe(401);
    expect((await send('GET', '/projects/1/issues_statistics?search=x')).body.statistics.counts.all).toBe(3);
  });

  it.each([
    ['state=merged', 'state does not have a valid value'],
    ['order_by=severity', 'order_by does not have a valid value'],
    ['weight=-1', 'weight does not have a valid value'],
    ['health_status=sick', 'health_status does not have a valid value'],
    ['due_date=someday', 'due_date does not have a valid value'],
    ['author_id=1&author_username=a', 'author_id, author_username are mutually exclusive'],
    ['milestone=a&milestone_id=None', 'milestone, milestone_id are mutually exclusive'],
    ['issue_type=bug&confidential=maybe', 'confidential is invalid, issue_type does not have a valid value'],
  ])('refuses %s', async (query, error) => {
    const reply = await send('GET', `/projects/1/issues?${query}`);
    expect([reply.status, reply.body, reply.reached]).toEqual([400, { error }, false]);
  });

  it('asks for an issue with everything it shall have', async () => {
    await send('POST', '/projects/1/issues', {
      title: 'T',
      description: 'D',
      labels: 'a,b',
      add_labels: 'c',
      remove_labels: 'a',
      assignee_ids: [3, 0, 4],
      milestone_id: 5,
      due_date: '2026-03-04',
      confidential: true,
      issue_type: 'incident',
      weight: 0,
      health_status: 'at_risk',
      created_at: '2001-01-01T00:00:00Z',
      iid: 9,
    });
    expect(asked()).toMatchObject({
      projectId: 1,
      title: 'T',
      description: 'D',
      labels: ['b', 'c'],
      assigneeIds: [3, 4],
      milestoneId: 5,
      dueDate: '2026-03-04',
      confidential: true,
      issueType: 'incident',
      weight: 0,
      healthStatus: 'at_risk',
      createdAt: new Date('2001-01-01T00:00:00Z'),
      iid: 9,
    });
  });

  it('tells what is left out from what is taken away', async () => {
    await send('PUT', '/projects/1/issues/2', { title: 'T' });
    expect(asked()).toMatchObject({ iid: 2, title: 'T', addLabels: [], removeLabels: [], clearWeight: false });
    for (const field of [
      'description',
      'assigneeIds',
      'labels',
      'milestoneId',
      'dueDate',
      'weight',
      'healthStatus',
      'confidential',
    ])
      expect([field, asked()[field]]).toEqual([field, undefined]);
    await send('PUT', '/projects/1/issues/2', {
      description: null,
      assignee_id: null,
      labels: '',
      milestone_id: '',
      due_date: null,
      weight: null,
      health_status: null,
      state_event: 'close',
    });
    expect(asked()).toMatchObject({
      description: '',
      assigneeIds: { ids: [] },
      labels: { titles: [] },
      milestoneId: 0,
      dueDate: '',
      clearWeight: true,
      healthStatus: '',
      stateEvent: 'close',
    });
    const nothing = await send('PUT', '/projects/1/issues/2', { unknown: 1 });
    expect(nothing.status).toBe(400);
    expect(nothing.body.error).toMatch(/are missing, at least one parameter must be provided$/);
  });

  /** Drafts name the command that reports time, on merge requests alone. */
  const causeOf = (noteable: string) => (noteable === 'merge_requests' ? { cause: '' } : {});

  it.each([
    ['time_estimate', Tracking.KIND_ESTIMATE, 200],
    ['add_spent_time', Tracking.KIND_SPEND, 201],
    ['reset_time_estimate', Tracking.KIND_RESET_ESTIMATE, 200],
    ['reset_spent_time', Tracking.KIND_RESET_SPENT, 200],
  ])('tracks time, of merge requests too: %s', async (path, kind, status) => {
    for (const noteable of ['issues', 'merge_requests']) {
      const reply = await send('POST', `/projects/1/${noteable}/2/${path}`, { duration: '3h' });
      const duration = path.startsWith('reset') ? '' : '3h';
      const asking = { projectId: 1, iid: 2, tracking: { kind, duration }, ...causeOf(noteable) };
      expect([reply.status, asked()]).toEqual([status, asking]);
      if (duration !== '') {
        const refused = await send('POST', `/projects/1/${noteable}/2/${path}`, {});
        expect([refused.status, refused.body]).toEqual([400, { error: 'duration is missing' }]);
      }
    }
    expect((await send('GET', '/projects/1/merge_requests/2/time_stats')).status).toBe(200);
  });

  it('passes the summary of time spent on', async () => {
    for (const noteable of ['issues', 'merge_requests']) {
      await send('POST', `/projects/1/${noteable}/2/add_spent_time`, { duration: '3h', summary: 'Review' });
      const tracking = { kind: Tracking.KIND_SPEND, duration: '3h', summary: 'Review' };
      expect(asked()).toEqual({ projectId: 1, iid: 2, tracking, ...causeOf(noteable) });
    }
  });

  it('answers 304 where a subscription changes nothing', async () => {
    unchanged = true;
    const reply = await send('POST', '/projects/1/issues/2/subscribe');
    expect([reply.status, reply.text, asked()]).toEqual([304, '', { projectId: 1, iid: 2, subscribed: true }]);
  });

  it.each([
    ['/projects/1/issues/2/closed_by', { projectId: 1, iid: 2, closing: true }],
    ['/projects/1/issues/2/related_merge_requests', { projectId: 1, iid: 2, closing: false }],
    ['/projects/1/merge_requests/2/closes_issues', { projectId: 1, mergeRequestIid: 2, closing: true }],
    ['/projects/1/merge_requests/2/related_issues', { projectId: 1, mergeRequestIid: 2, closing: false }],
    ['/projects/1/issues/2/participants', { projectId: 1, iid: 2 }],
  ])('GET %s', async (path, request) => {
    expect((await send('GET', path)).body).toEqual([]);
    expect(asked()).toMatchObject(request);
  });
});
