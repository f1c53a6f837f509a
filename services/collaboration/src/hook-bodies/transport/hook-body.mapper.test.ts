import type { DirectoryProjectRow, LabelRow, NamespaceRow, UserRow } from '@switchyard/directory';
import { EpicEvent } from '@switchyard/protos/collaboration/events/v1/epic_event';
import { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import { NoteEvent } from '@switchyard/protos/collaboration/events/v1/note_event';
import type { HookEpic, HookFacts, HookIssue, HookNote } from '../domain/hook-facts';
import { presentHookBodies } from './hook-body.mapper';

const at = new Date('2026-01-02T03:04:05.678Z');
const url = 'https://forge.example';

const user = (id: number, username: string, publicEmail: string | null = null): UserRow => ({
  id,
  username,
  name: username.toUpperCase(),
  state: 'active',
  avatar_url: null,
  public_email: publicEmail,
});

const issue: HookIssue = {
  id: 9,
  iid: 3,
  project_id: 5,
  author_id: 1,
  title: 'As it is now',
  description: 'New text',
  state: 'opened',
  issue_type: 'incident',
  confidential: false,
  severity: 'high',
  discussion_locked: null,
  milestone_id: 6,
  due_on: '2026-02-03',
  weight: 4,
  health_status: null,
  time_estimate: 3_600,
  total_time_spent: 60,
  closed_at: null,
  moved_to_id: null,
  created_at: at,
  updated_at: at,
  assignee_ids: [2],
  label_ids: [11],
};

const note: HookNote = {
  id: 40,
  project_id: 5,
  author_id: 1,
  body: 'Well *done*',
  type: 'DiscussionNote',
  internal: false,
  discussion_id: 'a'.repeat(40),
  position: null,
  resolved_at: null,
  resolved_by_id: null,
  created_at: at,
  updated_at: at,
};

const label = (id: number, given: Partial<LabelRow> = {}): LabelRow => ({
  id,
  title: `label ${id}`,
  color: '#112233',
  description: null,
  project_id: 5,
  namespace_id: null,
  ...given,
});

const project = {
  id: 5,
  name: 'Code',
  path: 'code',
  namespace_id: 4,
  namespace_full_path: 'top/sub',
  namespace_full_name: 'Top / Sub',
  visibility: 'internal',
  avatar_url: null,
  default_branch: 'main',
} as DirectoryProjectRow;

const group = {
  id: 4,
  kind: 'group',
  name: 'Sub',
  path: 'sub',
  full_path: 'top/sub',
  ancestry: [1, 4],
  visibility: 'private',
} as NamespaceRow;

const epic: HookEpic = {
  id: 70,
  iid: 2,
  group_id: 4,
  author_id: 1,
  title: 'As it is now',
  description: 'New text',
  state: 'closed',
  confidential: false,
  color: '#1068bf',
  start_on: '2026-02-03',
  due_on: null,
  closed_at: at,
  created_at: at,
  updated_at: at,
  label_ids: [12],
};

const facts = (given: Partial<HookFacts> = {}): HookFacts => ({
  users: new Map([
    [1, user(1, 'ada', 'ada@forge.example')],
    [2, user(2, 'bob')],
    [3, user(3, 'eve')],
  ]),
  projects: new Map([[5, project]]),
  labels: new Map([
    [11, label(11)],
    [12, label(12, { project_id: null, namespace_id: 4 })],
  ]),
  groups: new Map([[4, group]]),
  epics: new Map([[70, epic]]),
  issues: new Map([[9, issue]]),
  notes: new Map([[40, note]]),
  snippets: new Map(),
  awards: new Map(),
  parts: { mergeRequests: new Map(), commits: new Map() },
  ...given,
});

type IssueFact = NonNullable<IssueEvent['fact']>;
type NoteFact = NonNullable<NoteEvent['fact']>;

const ofIssue = (fact: IssueFact, given: { event?: object; subject?: object; known?: HookFacts } = {}) => {
  const subject = {
    id: 9,
    iid: 3,
    projectId: 5,
    authorId: 1,
    title: 'As it was',
    state: 'opened',
    issueType: 'incident',
  };
  const people = { assigneeIds: [2], labelIds: [11] };
  const event = IssueEvent.fromPartial({
    issue: { ...subject, ...people, ...given.subject },
    actorId: 1,
    occurredAt: at,
    fact: fact as never,
    ...given.event,
  });
  return presentHookBodies('event:1', { of: 'issue', event }, given.known ?? facts(), url).map((body) => ({
    ...body,
    json: JSON.parse(body.json.toString()),
  }));
};

const ofNote = (fact: NoteFact, noteable: object = {}, known: HookFacts = facts()) => {
  const issueSubject = { kind: 'Issue', id: 9, iid: 3, projectId: 5, authorId: 1, title: 'T', webUrl: `${url}/x` };
  const event = NoteEvent.fromPartial({
    noteable: { ...issueSubject, ...noteable },
    actorId: 2,
    occurredAt: at,
    fact: fact as never,
  });
  return presentHookBodies('event:1', { of: 'note', event }, known, url).map((body) => ({
    ...body,
    json: JSON.parse(body.json.toString()),
  }));
};

const updated = (value: object): IssueFact => ({ $case: 'updated', value: { changedFields: [], ...value } as never });

test('an issue that is opened, whole (G-6-4)', () => {
  const [body] = ofIssue({ $case: 'created', value: {} as never });
  expect(body).toMatchObject({
    kind: 'issue',
    action: 'open',
    confidential: false,
    projectId: 5,
    objectKey: 'issue:9',
    actorId: 1,
    feature: 'issues',
    leastLevel: 0,
    eventId: 'event:1',
  });
  const bob = { id: 2, name: 'BOB', username: 'bob', avatar_url: null, email: '[REDACTED]' };
  const labels = [
    {
      id: 11,
      title: 'label 11',
      color: '#112233',
      project_id: 5,
      template: false,
      description: null,
      type: 'ProjectLabel',
      group_id: null,
    },
  ];
  expect(body?.json).toEqual({
    object_kind: 'issue',
    event_type: 'issue',
    user: { id: 1, name: 'ADA', username: 'ada', avatar_url: null, email: 'ada@forge.example' },
    project: {
      id: 5,
      name: 'Code',
      description: null,
      web_url: `${url}/top/sub/code`,
      avatar_url: null,
      git_ssh_url: 'git@forge.example:top/sub/code.git',
      git_http_url: `${url}/top/sub/code.git`,
      namespace: 'Sub',
      visibility_level: 10,
      path_with_namespace: 'top/sub/code',
      default_branch: 'main',
      ci_config_path: null,
      homepage: `${url}/top/sub/code`,
      url: 'git@forge.example:top/sub/code.git',
      ssh_url: 'git@forge.example:top/sub/code.git',
      http_url: `${url}/top/sub/code.git`,
    },
    object_attributes: {
      id: 9,
      iid: 3,
      project_id: 5,
      author_id: 1,
      title: 'As it was',
      description: 'New text',
      state: 'opened',
      state_id: 1,
      type: 'Incident',
      confidential: false,
      severity: 'high',
      discussion_locked: null,
      milestone_id: 6,
      due_date: '2026-02-03',
      weight: 4,
      health_status: null,
      time_estimate: 3_600,
      total_time_spent: 60,
      closed_at: null,
      moved_to_id: null,
      duplicated_to_id: null,
      created_at: at.toISOString(),
      updated_at: at.toISOString(),
      url: `${url}/top/sub/code/-/issues/3`,
      assignee_ids: [2],
      assignee_id: 2,
      labels,
      action: 'open',
    },
    labels,
    changes: {},
    repository: {
      name: 'Code',
      url: 'git@forge.example:top/sub/code.git',
      description: null,
      homepage: `${url}/top/sub/code`,
    },
    assignees: [bob],
  });
});

const changed: [string, object, object][] = [
  ['title', { changes: [{ field: 'title', old: 'A', new: 'B' }] }, { title: { previous: 'A', current: 'B' } }],
  [
    'milestone',
    { changes: [{ field: 'milestone', old: '', new: '6' }] },
    { milestone_id: { previous: null, current: 6 } },
  ],
  ['weight', { changes: [{ field: 'weight', old: '3', new: '' }] }, { weight: { previous: 3, current: null } }],
  [
    'confidentiality',
    { changes: [{ field: 'confidential', old: 'false', new: 'true' }] },
    { confidential: { previous: false, current: true } },
  ],
  [
    'time spent',
    { changes: [{ field: 'time_spent', old: '0', new: '60' }] },
    { total_time_spent: { previous: 0, current: 60 } },
  ],
  ['epic, which others may not see', { changes: [{ field: 'epic_id', old: '', new: '5' }] }, {}],
  [
    'due date',
    { changes: [{ field: 'due_date', old: '', new: '2026-02-03' }] },
    { due_date: { previous: null, current: '2026-02-03' } },
  ],
  [
    'description',
    { changedFields: ['description'], oldDescription: '' },
    { description: { previous: '', current: 'New text' } },
  ],
  [
    'labels',
    { changedFields: ['labels'], addedLabelIds: [11], removedLabelIds: [12] },
    {
      labels: {
        previous: [expect.objectContaining({ id: 12, type: 'GroupLabel', group_id: 4 })],
        current: [expect.objectContaining({ id: 11 })],
      },
    },
  ],
  [
    'assignees',
    { changedFields: ['assignees'], addedAssigneeIds: [2], removedAssigneeIds: [3] },
    {
      assignees: {
        previous: [expect.objectContaining({ username: 'eve' })],
        current: [expect.objectContaining({ username: 'bob' })],
      },
    },
  ],
];

test.each(changed)('an edit of the %s says what it was and is', (_, fact, changes) => {
  const [body] = ofIssue(updated({ addedAssigneeIds: [], removedAssigneeIds: [], changes: [], ...fact }));
  expect(body).toMatchObject({ action: 'update' });
  expect(body?.json.changes).toEqual(changes);
});

test('closing and opening again change the state', () => {
  const [closed] = ofIssue({ $case: 'closed', value: { byMergeRequestId: 0 } }, { subject: { state: 'closed' } });
  expect(closed?.json).toMatchObject({
    object_attributes: { action: 'close', state: 'closed', state_id: 2 },
    changes: { state_id: { previous: 1, current: 2 } },
  });
  const [reopened] = ofIssue({ $case: 'reopened', value: {} });
  expect(reopened?.json).toMatchObject({
    object_attributes: { action: 'reopen', state_id: 1 },
    changes: { state_id: { previous: 2, current: 1 } },
  });
});

test.each([
  ['then', { subject: { confidential: true } }],
  ['since', { known: facts({ issues: new Map([[9, { ...issue, confidential: true }]]) }) }],
])('an issue that is confidential %s is for its people and Planners', (_, given) => {
  const [body] = ofIssue({ $case: 'created', value: {} as never }, given);
  expect(body).toMatchObject({ confidential: true, leastLevel: 15, authorId: 1, audienceIds: [2] });
  expect(body?.json.event_type).toBe('confidential_issue');
});

test.each([
  ['imported history', ofIssue({ $case: 'created', value: {} as never }, { event: { imported: true } })],
  ['a deletion', ofIssue({ $case: 'deleted', value: {} })],
  ['a move', ofIssue({ $case: 'moved', value: { toIssueId: 1, toIssueIid: 1, toProjectId: 1 } })],
  [
    'an issue that is gone',
    ofIssue({ $case: 'closed', value: { byMergeRequestId: 0 } }, { known: facts({ issues: new Map() }) }),
  ],
  ['a project that is gone', ofIssue({ $case: 'reopened', value: {} }, { known: facts({ projects: new Map() }) })],
  ['a deleted note', ofNote({ $case: 'deleted', value: { note: { id: 40 } as never } })],
  ['a note that is gone', ofNote({ $case: 'created', value: { note: { id: 41 } } as never })],
])('%s leads to no hook', (_, bodies) => {
  expect(bodies).toEqual([]);
});

const written: NoteFact = { $case: 'created', value: { note: { id: 40 } } as never };

test('a note on an issue has the issue with it', () => {
  const [body] = ofNote(written);
  expect(body).toMatchObject({
    kind: 'note',
    action: 'create',
    confidential: false,
    objectKey: 'issue:9',
    feature: 'issues',
  });
  expect(body?.json).toMatchObject({
    object_kind: 'note',
    event_type: 'note',
    user: { username: 'bob' },
    project_id: 5,
    object_attributes: {
      id: 40,
      note: 'Well *done*',
      noteable_type: 'Issue',
      noteable_id: 9,
      discussion_id: 'a'.repeat(40),
      url: `${url}/x#note_40`,
      action: 'create',
    },
    issue: { id: 9, iid: 3, title: 'As it is now', labels: [{ id: 11 }] },
  });
  const [edited] = ofNote({ $case: 'updated', value: { note: { id: 40 } } as never });
  expect(edited).toMatchObject({ action: 'update' });
});

const noteables: [string, object, object, Partial<HookFacts>][] = [
  [
    'merge request',
    { kind: 'MergeRequest', id: 17, iid: 4 },
    { feature: 'merge_requests', objectKey: 'merge_request:17', json: { merge_request: { id: 17, iid: 4 } } },
    {},
  ],
  [
    'commit',
    { kind: 'Commit', id: 0, sha: 'b'.repeat(40) },
    {
      feature: 'repository',
      json: { object_attributes: { noteable_id: null, commit_id: 'b'.repeat(40) }, commit: { id: 'b'.repeat(40) } },
    },
    {},
  ],
  [
    'merge request whose owner answers',
    { kind: 'MergeRequest', id: 17, iid: 4 },
    { json: { merge_request: { id: 17, state: 'merged', source_branch: 'topic', target_branch: 'main' } } },
    {
      parts: {
        mergeRequests: new Map([[17, { id: 17, state: 'merged', source_branch: 'topic', target_branch: 'main' }]]),
        commits: new Map(),
      },
    },
  ],
  [
    'commit whose owner answers',
    { kind: 'Commit', id: 0, sha: 'b'.repeat(40) },
    { json: { commit: { id: 'b'.repeat(40), author: { name: 'Ada' } } } },
    {
      parts: {
        mergeRequests: new Map(),
        commits: new Map([[`5 ${'b'.repeat(40)}`, { id: 'b'.repeat(40), author: { name: 'Ada' } }]]),
      },
    },
  ],
  [
    'private snippet',
    { kind: 'Snippet', id: 8 },
    { feature: 'snippets', leastLevel: 10, json: { snippet: { id: 8, content: 'x = 1' } } },
    {
      snippets: new Map([
        [
          8,
          {
            id: 8,
            project_id: 5,
            author_id: 1,
            title: 'S',
            description: null,
            visibility: 'private',
            created_at: at,
            updated_at: at,
            path: 'a.py',
            content: 'x = 1',
          },
        ],
      ]),
    },
  ],
];

test.each(noteables)('a note on a %s has that with it', (_, noteable, expected, known) => {
  expect(ofNote(written, noteable, facts(known))).toMatchObject([expected]);
});

test.each([
  ['an internal note', { notes: new Map([[40, { ...note, internal: true }]]) }, 20, 0],
  ['a note on a confidential issue', { issues: new Map([[9, { ...issue, confidential: true }]]) }, 15, 1],
  [
    'an internal note on a confidential issue',
    { notes: new Map([[40, { ...note, internal: true }]]), issues: new Map([[9, { ...issue, confidential: true }]]) },
    20,
    0,
  ],
])('%s is confidential (G-4.6-9)', (_, known, leastLevel, authorId) => {
  const [body] = ofNote(written, {}, facts(known));
  expect(body).toMatchObject({ confidential: true, leastLevel, authorId });
  expect(body?.json.event_type).toBe('confidential_note');
});

test.each([
  [true, 'award', 70],
  [false, 'revoke', null],
])('a reaction, given: %s', (given, action, id) => {
  const fact = { $case: 'reacted', value: { noteId: 40, name: 'rocket', given, userId: 3 } } as const;
  const awards = new Map(given ? [['Note 40 rocket 3', { id: 70, created_at: at, updated_at: at }]] : []);
  const [body] = ofNote(fact, {}, facts({ awards }));
  expect(body).toMatchObject({ kind: 'emoji', action, objectKey: 'issue:9' });
  expect(body?.json).toMatchObject({
    object_kind: 'emoji',
    event_type: action,
    object_attributes: { id, user_id: 3, name: 'rocket', awardable_type: 'Note', awardable_id: 40, action },
    note: { id: 40 },
    issue: { id: 9 },
  });
});

type EpicFact = NonNullable<EpicEvent['fact']>;

const ofEpic = (fact: EpicFact, given: { event?: object; subject?: object; known?: HookFacts } = {}) => {
  const subject = { id: 70, iid: 2, groupId: 4, authorId: 1, title: 'Plan', state: 'opened', labelIds: [12] };
  const event = EpicEvent.fromPartial({
    epic: { ...subject, ...given.subject },
    actorId: 1,
    occurredAt: at,
    fact: fact as never,
    ...given.event,
  });
  return presentHookBodies('event:1', { of: 'epic', event }, given.known ?? facts(), url).map((body) => ({
    ...body,
    json: JSON.parse(body.json.toString()),
  }));
};
const epicUpdated = (value: object): EpicFact => ({
  $case: 'updated',
  value: { changedFields: [], ...value } as never,
});

test('an epic that is opened, whole: a work item of its group', () => {
  const [body] = ofEpic({ $case: 'created', value: {} as never });
  expect(body).toMatchObject({
    kind: 'epic',
    action: 'open',
    confidential: false,
    projectId: 0,
    groupId: 4,
    objectKey: 'epic:70',
    actorId: 1,
    feature: '',
    leastLevel: 0,
  });
  const labels = [expect.objectContaining({ id: 12, type: 'GroupLabel' })];
  expect(body?.json).toEqual({
    object_kind: 'work_item',
    event_type: 'work_item',
    user: { id: 1, name: 'ADA', username: 'ada', avatar_url: null, email: 'ada@forge.example' },
    group: { group_id: 4, group_name: 'Sub', group_path: 'sub', full_path: 'top/sub' },
    object_attributes: {
      id: 70,
      iid: 2,
      group_id: 4,
      project_id: null,
      author_id: 1,
      title: 'Plan',
      description: 'New text',
      state: 'opened',
      state_id: 1,
      type: 'Epic',
      confidential: false,
      color: '#1068bf',
      start_date: '2026-02-03',
      due_date: null,
      closed_at: at.toISOString(),
      created_at: at.toISOString(),
      updated_at: at.toISOString(),
      url: `${url}/groups/top/sub/-/epics/2`,
      labels,
      action: 'open',
    },
    labels,
    changes: {},
    assignees: [],
  });
});

test.each<[string, object, object]>([
  ['title', { changes: [{ field: 'title', old: 'A', new: 'B' }] }, { title: { previous: 'A', current: 'B' } }],
  ['description', { oldDescription: 'Old' }, { description: { previous: 'Old', current: 'New text' } }],
  [
    'labels',
    { changedFields: ['labels'], addedLabelIds: [12], removedLabelIds: [11] },
    { labels: { previous: [expect.objectContaining({ id: 11 })], current: [expect.objectContaining({ id: 12 })] } },
  ],
  ['parent, which others may not see', { changes: [{ field: 'parent_id', old: '1', new: '6' }] }, {}],
  ['fixed date, which editors are shown', { changes: [{ field: 'due_date_fixed', old: '', new: '2026-01-01' }] }, {}],
  ['colour', { changes: [{ field: 'color', old: '#1', new: '#2' }] }, { color: { previous: '#1', current: '#2' } }],
])('an edit of an epic says of the %s what readers may know', (_, fact, changes) => {
  const [body] = ofEpic(epicUpdated({ changes: [], ...fact }));
  expect(body).toMatchObject({ kind: 'epic', action: 'update' });
  expect(body?.json.changes).toEqual(changes);
});

test('an epic that is closed and opened again changes its state', () => {
  const [closed] = ofEpic({ $case: 'closed', value: {} }, { subject: { state: 'closed' } });
  expect(closed?.json).toMatchObject({
    object_attributes: { action: 'close', state: 'closed' },
    changes: { state_id: { previous: 1, current: 2 } },
  });
  expect(ofEpic({ $case: 'reopened', value: {} })[0]).toMatchObject({ action: 'reopen' });
});

const secretEpic = facts({ epics: new Map([[70, { ...epic, confidential: true }]]) });

test.each([
  ['then', { subject: { confidential: true } }],
  ['since', { known: secretEpic }],
])('an epic that is confidential %s is for Planners of its group, whoever wrote it', (_, given) => {
  const [body] = ofEpic({ $case: 'created', value: {} as never }, given);
  expect(body).toMatchObject({ confidential: true, leastLevel: 15, authorId: 0, audienceIds: [] });
  expect(body?.json.event_type).toBe('confidential_work_item');
});

test('notes and reactions on an epic have it with them, for those who may read both', () => {
  const on = { kind: 'Epic', id: 70, iid: 2, projectId: 0, groupId: 4 };
  const [noted] = ofNote(written, on);
  expect(noted).toMatchObject({ kind: 'note', projectId: 0, groupId: 4, objectKey: 'epic:70', leastLevel: 0 });
  expect(noted?.json).toMatchObject({
    project_id: null,
    group: { full_path: 'top/sub' },
    object_attributes: { noteable_type: 'Epic', noteable_id: 70 },
    epic: { id: 70, type: 'Epic' },
  });
  expect(noted?.json).not.toHaveProperty('project');
  expect(ofNote(written, on, secretEpic)[0]).toMatchObject({ confidential: true, leastLevel: 15 });
  const internal = facts({ notes: new Map([[40, { ...note, internal: true }]]) });
  expect(ofNote(written, on, internal)[0]).toMatchObject({ confidential: true, leastLevel: 20, groupId: 4 });
  const reacted: NoteFact = { $case: 'reacted', value: { noteId: 0, name: '+1', given: true, userId: 2 } };
  const [award] = ofNote(reacted, on);
  expect(award).toMatchObject({ kind: 'emoji', groupId: 4 });
  expect(award?.json).toMatchObject({ object_attributes: { awardable_type: 'Epic', awardable_id: 70 } });
});

test.each<[string, HookEpic, object]>([
  ['linked', { ...epic, id: 71 }, { confidential: false, leastLevel: 0 }],
  ['unlinked', { ...epic, id: 71, confidential: true }, { confidential: true, objectIsOpen: true, leastLevel: 15 }],
])('a link that is %s names the other epic, for those who may read both', (fact, other, audience) => {
  const link = { id: 5, linkType: 'blocks', otherId: 71, otherIid: 3, otherGroupId: 4 };
  const happened = { $case: fact, value: { link } } as EpicFact;
  const known = facts({
    epics: new Map([
      [70, epic],
      [71, other],
    ]),
  });
  const [body] = ofEpic(happened, { known });
  expect(body).toMatchObject({ kind: 'epic', action: 'update', objectKey: 'epic:70', ...audience });
  expect(body?.json.link).toEqual({
    id: 5,
    event: fact === 'linked' ? 'added' : 'removed',
    link_type: 'blocks',
    epic: { id: 71, iid: 3, group_id: 4 },
  });
  // One who reads this epic may not know of one that lies above, or that is gone.
  const above = { ...group, id: 9, ancestry: [9], visibility: 'private' };
  const elsewhere = { ...link, otherGroupId: 9 };
  const groups = new Map([
    [4, group],
    [9, above],
  ]);
  expect(ofEpic({ $case: fact, value: { link: elsewhere } } as EpicFact, { known: { ...known, groups } })).toEqual([]);
  expect(ofEpic(happened)).toEqual([]);
});

test.each([
  ['imported', ofEpic({ $case: 'created', value: {} as never }, { event: { imported: true } })],
  ['deleted', ofEpic({ $case: 'deleted', value: {} })],
  ['gone', ofEpic({ $case: 'closed', value: {} }, { known: facts({ epics: new Map() }) })],
  ['of a group that is gone', ofEpic({ $case: 'closed', value: {} }, { known: facts({ groups: new Map() }) })],
])('an epic that is %s leads to no hook', (_, bodies) => {
  expect(bodies).toEqual([]);
});
