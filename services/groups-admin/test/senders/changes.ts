import { changeBody, type SentChange } from '../../src/integrations/domain/senders/change-body';

const project = {
  id: 5,
  name: 'Web',
  web_url: 'https://forge.example/acme/web',
  path_with_namespace: 'acme/web',
  default_branch: 'main',
};
const user = { id: 7, name: 'Ada <Lovelace>', username: 'ada', avatar_url: 'https://forge.example/ada.png' };
const zeros = '0'.repeat(40);
const [before, after] = ['a'.repeat(40), 'b'.repeat(40)];
const page = project.web_url;

const commit = (id: string, message: string) => ({
  id: id.repeat(40),
  message,
  title: message.split('\n')[0],
  url: `${page}/-/commit/${id.repeat(40)}`,
  author: { name: 'Grace Hopper', email: 'grace@example.com' },
  added: ['new.ts'],
  modified: ['old|er.ts'],
  removed: [],
});

const push = {
  object_kind: 'push',
  ref: 'refs/heads/main',
  ref_protected: true,
  before,
  after,
  user_name: user.name,
  user_username: 'ada',
  user_avatar: user.avatar_url,
  project,
  commits: [
    commit('c', 'Repair the *login*\n\nFixes WEB-12, #345'),
    commit('b', 'See [docs](https://evil.example) WEB-13 & https://app.asana.com/0/1/678'),
  ],
  total_commits_count: 2,
};
const issue = {
  object_kind: 'issue',
  user,
  project,
  object_attributes: {
    id: 20,
    iid: 3,
    title: 'The page | stays <empty>',
    description: 'Since *yesterday*.\n@all',
    url: `${page}/-/issues/3`,
    action: 'open',
    state: 'opened',
    type: 'Issue',
  },
  labels: [{ id: 1, title: 'bug' }],
};
const mergeRequest = {
  object_kind: 'merge_request',
  user,
  project,
  object_attributes: {
    id: 30,
    iid: 17,
    title: 'Closes WEB-14: (again) & again',
    description: 'Part of WEB-15.',
    url: `${page}/-/merge_requests/17`,
    action: 'open',
    state: 'opened',
    source_branch: 'fix-login',
    target_branch: 'main',
  },
  labels: [{ id: 1, title: 'bug' }],
};
const note = {
  object_kind: 'note',
  user,
  project,
  object_attributes: {
    id: 40,
    note: 'Looks good `to` me.',
    noteable_type: 'MergeRequest',
    noteable_id: 30,
    url: `${page}/-/merge_requests/17#note_40`,
    action: 'create',
  },
  merge_request: { id: 30, iid: 17, title: 'Repair', labels: [{ title: 'bug' }] },
};
const pipeline = {
  object_kind: 'pipeline',
  user,
  project,
  object_attributes: {
    id: 31,
    ref: 'main',
    tag: false,
    sha: after,
    status: 'failed',
    duration: 3_723,
    url: `${page}/-/pipelines/31`,
  },
  commit: commit('b', 'Repair the login'),
  builds: [
    { id: 1, name: 'test', status: 'failed', allow_failure: false },
    { id: 2, name: 'lint', status: 'failed', allow_failure: true },
  ],
};
const deployment = {
  object_kind: 'deployment',
  status: 'success',
  environment: 'production',
  environment_external_url: 'https://web.example',
  deployable_url: `${page}/-/jobs/9`,
  short_sha: 'bbbbbbbb',
  commit_url: `${page}/-/commit/${after}`,
  commit_title: 'Repair the login',
  ref: 'main',
  user,
  project,
};
const alert = {
  object_kind: 'alert',
  user: null,
  project,
  object_attributes: {
    iid: 2,
    title: 'Disk full',
    severity: 'critical',
    status: 'triggered',
    url: `${page}/-/alert_management/2/details`,
  },
};

const change = (kind: string, action: string, body: object, confidential = false): SentChange => ({
  kind,
  action,
  confidential,
  key: 'issue.changed:1:integration:12',
  body: changeBody(JSON.stringify(body)),
});

/** A hook body with other attributes. */
const having = <T extends { object_attributes: object }>(body: T, attributes: object) => ({
  ...body,
  object_attributes: { ...body.object_attributes, ...attributes },
});

/** Changes of every kind that an integration takes, by name. */
export const changes: Readonly<Record<string, SentChange>> = {
  push: change('push', 'push', push),
  'push of a new branch': change('push', 'push', {
    ...push,
    ref: 'refs/heads/fix-login',
    ref_protected: false,
    before: zeros,
    commits: [],
  }),
  'push that removes a branch': change('push', 'push', {
    ...push,
    ref: 'refs/heads/fix-login',
    ref_protected: false,
    after: zeros,
    commits: [],
  }),
  'tag push': change('tag_push', 'push', {
    ...push,
    object_kind: 'tag_push',
    ref: 'refs/tags/v1.0',
    before: zeros,
    commits: [],
  }),
  issue: change('issue', 'open', issue),
  'issue that is edited': change('issue', 'update', having(issue, { action: 'update' })),
  'confidential issue': change('issue', 'close', having(issue, { action: 'close' }), true),
  incident: change('issue', 'open', having(issue, { type: 'Incident' })),
  'merge request': change('merge_request', 'open', mergeRequest),
  'merge request that is merged': change(
    'merge_request',
    'merge',
    having(mergeRequest, { action: 'merge', state: 'merged' }),
  ),
  'merge request with new commits': change(
    'merge_request',
    'update',
    having(mergeRequest, { action: 'update', oldrev: before }),
  ),
  note: change('note', 'create', note),
  'failed pipeline': change('pipeline', 'failed', pipeline),
  'passed pipeline': change('pipeline', 'success', having(pipeline, { status: 'success', duration: 62 })),
  'running pipeline': change('pipeline', 'running', having(pipeline, { status: 'running' })),
  job: change('job', 'success', { object_kind: 'build', build_status: 'success', build_name: 'test', project, user }),
  deployment: change('deployment', 'success', deployment),
  alert: change('alert', 'trigger', alert),
  subgroup: change('subgroup', 'create', { event_name: 'subgroup_create', name: 'sub' }),
  project: change('project', 'create', { event_name: 'project_create', name: 'web' }),
};
