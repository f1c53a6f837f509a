/**
 * Hook bodies as GitLab documents them: of each field its type, with `?` where it may be null. A list has the shape of
 * its items.
 */
type Shape = string | { readonly [field: string]: Shape } | readonly [Shape];

const project = {
  id: 'number',
  name: 'string',
  description: 'string?',
  web_url: 'string',
  avatar_url: 'string?',
  git_ssh_url: 'string',
  git_http_url: 'string',
  namespace: 'string',
  visibility_level: 'number',
  path_with_namespace: 'string',
  default_branch: 'string',
  ci_config_path: 'string?',
  homepage: 'string',
  url: 'string',
  ssh_url: 'string',
  http_url: 'string',
} as const;
const user = { id: 'number', name: 'string', username: 'string', avatar_url: 'string?', email: 'string' } as const;
const repository = { name: 'string', url: 'string', description: 'string?', homepage: 'string' } as const;
const addressed = { ...repository, git_http_url: 'string', git_ssh_url: 'string', visibility_level: 'number' } as const;
const commit = {
  id: 'string',
  message: 'string',
  title: 'string',
  timestamp: 'string',
  url: 'string',
  author: { name: 'string', email: 'string' },
} as const;
const label = {
  id: 'number',
  title: 'string',
  color: 'string',
  project_id: 'number?',
  template: 'boolean',
  description: 'string?',
  type: 'string',
  group_id: 'number?',
} as const;

const push = {
  object_kind: 'string',
  event_name: 'string',
  before: 'string',
  after: 'string',
  ref: 'string',
  ref_protected: 'boolean',
  checkout_sha: 'string?',
  user_id: 'number',
  user_name: 'string',
  user_username: 'string',
  user_email: 'string',
  user_avatar: 'string?',
  project_id: 'number',
  project,
  repository: addressed,
  commits: [{ ...commit, added: ['string'], modified: ['string'], removed: ['string'] }],
  total_commits_count: 'number',
} as const;

const build = {
  id: 'number',
  stage: 'string',
  name: 'string',
  status: 'string',
  created_at: 'string',
  started_at: 'string?',
  finished_at: 'string?',
  duration: 'number?',
  queued_duration: 'number?',
  failure_reason: 'string?',
  when: 'string',
  manual: 'boolean',
  allow_failure: 'boolean',
  user,
  runner: 'null',
  artifacts_file: { filename: 'null', size: 'null' },
  environment: 'null',
} as const;

/** By `object_kind`. */
export const documentedHooks: Readonly<Record<string, Shape>> = {
  push,
  tag_push: push,
  merge_request: {
    object_kind: 'string',
    event_type: 'string',
    user,
    project,
    repository,
    object_attributes: {
      id: 'number',
      iid: 'number',
      target_branch: 'string',
      source_branch: 'string',
      source_project_id: 'number',
      target_project_id: 'number',
      author_id: 'number',
      assignee_id: 'number?',
      assignee_ids: ['number'],
      reviewer_ids: ['number'],
      title: 'string',
      created_at: 'string',
      updated_at: 'string',
      milestone_id: 'number?',
      state: 'string',
      state_id: 'number',
      blocking_discussions_resolved: 'boolean',
      work_in_progress: 'boolean',
      draft: 'boolean',
      first_contribution: 'boolean',
      merge_status: 'string',
      detailed_merge_status: 'string',
      description: 'string',
      prepared_at: 'string?',
      total_time_spent: 'number',
      human_total_time_spent: 'string?',
      time_estimate: 'number',
      human_time_estimate: 'string?',
      head_pipeline_id: 'number?',
      merge_commit_sha: 'string?',
      merge_error: 'string?',
      merge_user_id: 'number?',
      url: 'string',
      source: project,
      target: project,
      last_commit: commit,
      labels: [label],
      action: 'string',
    },
    labels: [label],
    changes: {},
    assignees: [user],
    reviewers: [{ ...user, state: 'string' }],
  },
  pipeline: {
    object_kind: 'string',
    object_attributes: {
      id: 'number',
      iid: 'number',
      name: 'string?',
      ref: 'string',
      tag: 'boolean',
      sha: 'string',
      before_sha: 'string',
      source: 'string',
      status: 'string',
      detailed_status: 'string',
      stages: ['string'],
      created_at: 'string',
      finished_at: 'string?',
      duration: 'number?',
      queued_duration: 'number?',
      variables: ['null'],
      url: 'string',
    },
    user,
    project,
    commit,
    builds: [build],
  },
  build: {
    object_kind: 'string',
    ref: 'string',
    tag: 'boolean',
    before_sha: 'string',
    sha: 'string',
    build_id: 'number',
    build_name: 'string',
    build_stage: 'string',
    build_status: 'string',
    build_created_at: 'string',
    build_started_at: 'string?',
    build_finished_at: 'string?',
    build_duration: 'number?',
    build_queued_duration: 'number?',
    build_allow_failure: 'boolean',
    build_failure_reason: 'string?',
    pipeline_id: 'number',
    runner: 'null',
    project_id: 'number',
    project_name: 'string',
    user,
    commit: {
      id: 'number',
      sha: 'string',
      message: 'string',
      author_name: 'string',
      author_email: 'string',
      status: 'string',
      duration: 'number?',
      started_at: 'string?',
      finished_at: 'string?',
    },
    repository: addressed,
    project,
    environment: 'null',
  },
  deployment: {
    object_kind: 'string',
    status: 'string',
    status_changed_at: 'string',
    deployment_id: 'number',
    deployable_id: 'null',
    deployable_url: 'null',
    environment: 'string',
    environment_tier: 'string',
    environment_slug: 'string',
    environment_external_url: 'string?',
    project,
    short_sha: 'string',
    user,
    user_url: 'string',
    commit_url: 'string',
    commit_title: 'string',
    ref: 'string',
  },
  release: {
    object_kind: 'string',
    id: 'number',
    action: 'string',
    tag: 'string',
    name: 'string',
    description: 'string?',
    created_at: 'string',
    released_at: 'string',
    url: 'string',
    project,
    assets: {
      count: 'number',
      links: [{ id: 'number', link_type: 'string', name: 'string', url: 'string' }],
      sources: [{ format: 'string', url: 'string' }],
    },
    commit,
  },
};

function differences(shape: Shape, value: unknown, path: string): string[] {
  if (typeof shape === 'string') {
    const type = value === null ? 'null' : typeof value;
    return type === shape.replace('?', '') || (shape.endsWith('?') && value === null)
      ? []
      : [`${path} is ${type}, not ${shape}`];
  }
  if (Array.isArray(shape)) {
    if (!Array.isArray(value)) return [`${path} is no list`];
    return value.flatMap((item, at) => differences(shape[0], item, `${path}[${at}]`));
  }
  if (typeof value !== 'object' || value === null) return [`${path} is no object`];
  return Object.entries(shape).flatMap(([field, of]) =>
    differences(of, (value as Record<string, unknown>)[field], `${path}.${field}`),
  );
}

/** Where a body differs from what GitLab documents of its kind. */
export function undocumented(body: { readonly object_kind: string }): string[] {
  const shape = documentedHooks[body.object_kind];
  return shape === undefined ? [`${body.object_kind} is not documented`] : differences(shape, body, body.object_kind);
}
