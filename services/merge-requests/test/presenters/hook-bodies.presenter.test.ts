import type { DirectoryProjectRow, UserRow } from '@switchyard/directory';
import type { Commit } from '../../src/git';
import type { HookEvent, PushHappening } from '../../src/hook-bodies/domain/hook-event';
import type { HookFacts } from '../../src/hook-bodies/domain/hook-facts';
import type { TrainHappened } from '../../src/hook-bodies/domain/merge-request-hook';
import { presentHook } from '../../src/hook-bodies/presenters/hook.presenter';

const externalUrl = 'https://code.example';
const when = new Date('2026-01-02T03:04:05.678Z');
const sha = 'a'.repeat(40);
const base = 'b'.repeat(40);
const none = '0'.repeat(40);

const user: UserRow = { id: 2, username: 'ada', name: 'Ada L.', state: 'active', avatar_url: null, public_email: null };
const project = {
  id: 5,
  name: 'Engines',
  path: 'engines',
  namespace_full_path: 'works/steam',
  namespace_full_name: 'Works / Steam',
  visibility: 'internal',
  default_branch: 'main',
  avatar_url: '/uploads/e.png',
} as DirectoryProjectRow;
const commit = {
  id: sha,
  title: 'Faster',
  message: 'Faster\n\nMuch.\n',
  authorName: 'Ada',
  authorEmail: 'ada@example.org',
  committedAtText: '2026-01-02T04:04:05+01:00',
} as Commit;
const label = { id: 4, title: 'bug', color: '#ff0000', description: null, project_id: 5, namespace_id: null };
const files = { added: ['a.txt'], modified: [], removed: ['b.txt'] };
const facts: HookFacts = {
  users: new Map([[2, user]]),
  projects: new Map([[5, project]]),
  labels: new Map([[4, label]]),
  mergeRequests: new Map(),
  jobs: new Map(),
  protectedNames: new Map([[5, { branches: ['main', 'release/*'], tags: [] }]]),
  commits: new Map([
    [
      5,
      {
        projectId: 5,
        pushed: new Map([['e1', [{ commit, ...files }]]]),
        commits: new Map([[sha, commit]]),
        tags: new Map([['v1/a', commit]]),
      },
    ],
  ]),
};
const happening = { eventId: 'e1', projectId: 5, actorId: 2, occurredAt: when };
const show = (event: HookEvent, given = facts) => presentHook(event, { facts: given, externalUrl, now: when });

const shownUser = { id: 2, name: 'Ada L.', username: 'ada', avatar_url: null, email: '[REDACTED]' };
const page = 'https://code.example/works/steam/engines';
const ssh = 'git@code.example:works/steam/engines.git';
const shownProject = {
  ...{ id: 5, name: 'Engines', description: null, web_url: page, avatar_url: 'https://code.example/uploads/e.png' },
  ...{ git_ssh_url: ssh, git_http_url: `${page}.git`, namespace: 'Steam', visibility_level: 10 },
  ...{ path_with_namespace: 'works/steam/engines', default_branch: 'main', ci_config_path: null },
  ...{ homepage: page, url: ssh, ssh_url: ssh, http_url: `${page}.git` },
};
const shownRepository = { name: 'Engines', url: ssh, description: null, homepage: page };
const addressed = { ...shownRepository, git_http_url: `${page}.git`, git_ssh_url: ssh, visibility_level: 10 };
const shownCommit = {
  ...{ id: sha, message: 'Faster\n\nMuch.\n', title: 'Faster', timestamp: '2026-01-02T04:04:05+01:00' },
  url: `${page}/-/commit/${sha}`,
  author: { name: 'Ada', email: 'ada@example.org' },
};
const push: PushHappening = {
  ...happening,
  kind: 'push',
  action: 'pushed',
  ...{ ref: 'refs/heads/release/1', name: 'release/1', tag: false, before: base, after: sha },
  ...{ commitCount: 30, since: base },
};
const pipeline = {
  ...{ id: 7, iid: 3, sha, ref: 'main', tag: false, source: 'external', userId: 2, mergeRequestId: undefined },
  ...{ status: 'failed', createdAt: when, startedAt: when, finishedAt: new Date(when.getTime() + 2_500) },
  ...{ duration: 3, queuedDuration: 0 },
};

describe('hook bodies (G-6-4)', () => {
  test('a push', () => {
    expect(show(push)).toEqual({
      ...{ kind: 'push', action: 'pushed', ref: 'release/1', objectKey: 'ref:5:refs/heads/release/1' },
      feature: 'repository',
      json: {
        ...{ object_kind: 'push', event_name: 'push', before: base, after: sha, ref: 'refs/heads/release/1' },
        ...{ ref_protected: true, checkout_sha: sha, message: null, user_id: 2, user_name: 'Ada L.' },
        ...{ user_username: 'ada', user_email: '', user_avatar: null, project_id: 5 },
        ...{ project: shownProject, repository: addressed, total_commits_count: 30 },
        commits: [{ ...shownCommit, ...files }],
      },
    });
  });

  test('a removed branch has no commit; one that git cannot read any more has none to show', () => {
    const removed: PushHappening = { ...push, eventId: 'e2', after: none, action: 'removed', commitCount: 0 };
    expect(show(removed)?.json).toMatchObject({ checkout_sha: null, commits: [], total_commits_count: 0 });
    expect(show(push, { ...facts, commits: new Map() })?.json).toMatchObject({ commits: [], total_commits_count: 30 });
  });

  test('a job', () => {
    const job = {
      ...{ id: 11, name: 'build', status: 'failed', allowFailure: true, userId: 2, createdAt: when },
      ...{ startedAt: when, finishedAt: pipeline.finishedAt },
    };
    expect(show({ kind: 'job', ...happening, pipeline, job })?.json).toEqual({
      ...{ object_kind: 'build', ref: 'main', tag: false, before_sha: none, sha, build_id: 11, build_name: 'build' },
      ...{ build_stage: 'external', build_status: 'failed', build_created_at: '2026-01-02 03:04:05 UTC' },
      ...{ build_started_at: '2026-01-02 03:04:05 UTC', build_finished_at: '2026-01-02 03:04:08 UTC' },
      build_created_at_iso: '2026-01-02T03:04:05.678Z',
      build_started_at_iso: '2026-01-02T03:04:05.678Z',
      build_finished_at_iso: '2026-01-02T03:04:08.178Z',
      ...{ build_duration: 2.5, build_queued_duration: 0, build_allow_failure: true },
      ...{ build_failure_reason: 'unknown_failure', pipeline_id: 7, runner: null, project_id: 5 },
      ...{ project_name: 'works/steam/engines', user: shownUser, environment: null },
      commit: {
        ...{ id: 7, name: null, sha, message: 'Faster\n\nMuch.\n', author_name: 'Ada' },
        ...{ author_email: 'ada@example.org', author_url: 'mailto:ada@example.org' },
        ...{ url: `${page}/-/commit/${sha}`, status: 'failed', duration: 3 },
        ...{ started_at: '2026-01-02 03:04:05 UTC', finished_at: '2026-01-02 03:04:08 UTC' },
      },
      ...{ repository: addressed, project: shownProject },
    });
  });

  test('a deployment', () => {
    const deployment = {
      ...{ id: 9, userId: 2, sha, ref: 'v1', tag: true, status: 'success', environment: 'production' },
      ...{ environmentSlug: 'production', environmentTier: 'production', environmentUrl: '' },
    };
    expect(show({ kind: 'deployment', ...happening, deployment })?.json).toEqual({
      ...{ object_kind: 'deployment', status: 'success', status_changed_at: '2026-01-02 03:04:05 UTC' },
      ...{ deployment_id: 9, deployable_id: null, deployable_url: null, environment: 'production' },
      ...{ environment_tier: 'production', environment_slug: 'production', environment_external_url: null },
      ...{ project: shownProject, short_sha: 'aaaaaaaa', user: shownUser, user_url: 'https://code.example/ada' },
      ...{ commit_url: `${page}/-/commit/${sha}`, commit_title: 'Faster', ref: 'v1', tag: true, ref_protected: false },
    });
    const branch = { ...deployment, ref: 'release/2', tag: false };
    expect(show({ kind: 'deployment', ...happening, deployment: branch })?.json).toMatchObject({ ref_protected: true });
  });

  test('a release, with the sources of its tag', () => {
    const links = [{ id: 3, name: 'Notes', url: 'https://notes.example', linkType: 'other' }];
    const release = {
      ...{ id: 8, tag: 'v1/a', name: 'One', description: '' },
      createdAt: when,
      releasedAt: when,
      links,
    };
    const shown = show({ kind: 'release', ...happening, action: 'create', release });
    expect(shown).toMatchObject({ kind: 'release', action: 'create', ref: 'v1/a', objectKey: 'release:8' });
    expect(shown?.json).toEqual({
      ...{ object_kind: 'release', id: 8, action: 'create', tag: 'v1/a', name: 'One', description: null },
      ...{ created_at: '2026-01-02 03:04:05 UTC', released_at: '2026-01-02 03:04:05 UTC', project: shownProject },
      url: `${page}/-/releases/v1%2Fa`,
      assets: {
        count: 4,
        links: [{ id: 3, link_type: 'other', name: 'Notes', url: 'https://notes.example' }],
        sources: ['zip', 'tar.gz', 'tar.bz2'].map((format) => ({
          format,
          url: `https://code.example/api/v4/projects/5/repository/archive.${format}?sha=v1%2Fa`,
        })),
      },
      commit: shownCommit,
    });
  });

  test('a merge request that is deleted by now, whose car was removed from its train', () => {
    const train: TrainHappened = {
      event: 'removed',
      ...{ entryId: 4, targetBranch: 'main', addedById: 2, reason: 'pipeline_failed', pipelineId: 7 },
      evidence: {
        ...{ testedSha: sha, baseSha: base, pipelineId: 7, reruns: 1 },
        statuses: [{ name: 'build', targetUrl: undefined }],
      },
    };
    const mergeRequest = { id: 9, iid: 3, authorId: 1, title: 'T', state: 'opened', labelIds: [4, 99] };
    const hook = { action: 'update', changes: [], train } as const;
    const shownLabel = {
      ...{ id: 4, title: 'bug', color: '#ff0000', project_id: 5, template: false },
      description: null,
    };
    const labels = [{ ...shownLabel, type: 'ProjectLabel', group_id: null }];
    expect(show({ kind: 'merge_request', ...happening, mergeRequest, hook })?.json).toEqual({
      ...{ object_kind: 'merge_request', event_type: 'merge_request', user: shownUser, project: shownProject },
      repository: shownRepository,
      object_attributes: {
        ...{ id: 9, iid: 3, target_project_id: 5, author_id: 1, title: 'T', state: 'opened', state_id: 1, labels },
        ...{ url: `${page}/-/merge_requests/3`, target: shownProject, action: 'update' },
      },
      ...{ labels, changes: {}, assignees: [], reviewers: [] },
      merge_train: {
        ...{ event: 'removed', entry_id: 4, target_branch: 'main', added_by_id: 2, reason: 'pipeline_failed' },
        pipeline_id: 7,
        evidence: {
          ...{ tested_sha: sha, base_sha: base, pipeline_id: 7, reruns: 1 },
          statuses: [{ name: 'build', target_url: null }],
        },
      },
    });
  });

  test('nothing of a project that is deleted', () => {
    expect(show({ ...push, projectId: 6 })).toBeUndefined();
  });
});
