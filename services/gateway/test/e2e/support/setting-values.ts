import type { ParameterFixture } from './parameter-fixture';

/** A value that is not the default and what a read shows afterwards; or a value that is refused; or why this test cannot show it. */
export type Setting =
  | {
      readonly value: unknown;
      readonly field: string;
      readonly shown: unknown;
      /** It says the same as another one, or goes against it: not sent together with the others. */
      readonly alone?: true;
    }
  | { readonly refused: unknown }
  | { readonly reason: string };
export type Settings = Readonly<Record<string, Setting>>;

const kept = (value: unknown, field = '', shown = value): Setting => ({ value, field, shown });
const alone = (value: unknown, field: string, shown = value): Setting => ({ value, field, shown, alone: true });
const refused = (value: unknown): Setting => ({ refused: value });
const because = (reason: string): Setting => ({ reason });
const each = (names: string, setting: Setting): Settings =>
  Object.fromEntries(names.split(' ').map((name) => [name, setting]));

const allKept = (values: Readonly<Record<string, unknown>>): Settings =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, kept(value)]));

/** Settings of groups. */
export const groupSettings = ({ ids }: ParameterFixture): Settings => ({
  ...allKept({ name: 'Named', path: 'named', description: 'text', visibility: 'internal' }),
  ...each('share_with_group_lock prevent_sharing_groups_outside_hierarchy', kept(true)),
  request_access_enabled: kept(false),
  ...allKept({ project_creation_level: 'maintainer', subgroup_creation_level: 'owner', default_branch: 'trunk' }),
  tier: kept('premium'),
  parent_id: because('a group of the top level has settings of its own; group.comp.test shows the parent'),
  default_branch_protection: alone(3, 'default_branch_protection'),
  'default_branch_protection_defaults[allowed_to_push]': alone(
    [{ access_level: 30 }],
    'default_branch_protection_defaults.allowed_to_push',
  ),
  'default_branch_protection_defaults[allowed_to_merge]': alone(
    [{ access_level: 60 }],
    'default_branch_protection_defaults.allowed_to_merge',
  ),
  'default_branch_protection_defaults[allow_force_push]': alone(
    true,
    'default_branch_protection_defaults.allow_force_push',
  ),
  'default_branch_protection_defaults[developer_can_initial_push]': alone(
    true,
    'default_branch_protection_defaults.developer_can_initial_push',
  ),
  enabled_git_access_protocol: kept('http'),
  ip_restriction_ranges: kept('10.0.0.0/8,::1'),
  require_two_factor_authentication: refused(true),
  emails_disabled: alone(true, 'emails_disabled'),
  ...each('mentions_disabled membership_lock', kept(true)),
  emails_enabled: kept(false),
  allowed_email_domains_list: kept('example.com'),
  ...each(
    'auto_devops_enabled experiment_features_enabled lock_assistant_features_enabled lock_duo_features_enabled lock_math_rendering_limits_enabled',
    refused(true),
  ),
  ...each('lfs_enabled assistant_features_enabled duo_features_enabled math_rendering_limits_enabled', refused(false)),
  ...each(
    'two_factor_grace_period shared_runners_minutes_limit extra_shared_runners_minutes_limit max_artifacts_size',
    refused(7),
  ),
  wiki_access_level: refused('private'),
  ...each('assistant_availability duo_availability', refused('never_on')),
  shared_runners_setting: refused('disabled_and_overridable'),
  file_template_project_id: refused(ids.main),
  organization_id: refused(2),
  avatar: because('a file of a multipart body; avatar.comp.test shows it'),
});

/** Features of projects that nothing is behind. */
const fixedFeatures =
  'analytics builds container_registry environments feature_flags infrastructure model_experiments model_registry pages releases requirements security_and_compliance wiki';

/** Settings of projects. */
export const projectSettings = ({ ids }: ParameterFixture): Settings => ({
  ...allKept({ name: 'Named', path: 'named', description: 'text', visibility: 'internal', topics: ['red'] }),
  tag_list: alone(['blue'], 'topics'),
  default_branch: because('it is the name of a branch, which has to be there; default-branch.comp.test shows it'),
  ...allKept({ merge_method: 'ff', squash_option: 'always' }),
  ...each(
    'only_allow_merge_if_pipeline_succeeds allow_merge_on_skipped_pipeline only_allow_merge_if_all_discussions_are_resolved',
    kept(true),
  ),
  ...each('merge_pipelines_enabled merge_trains_enabled merge_trains_skip_train_allowed', kept(true)),
  ...allKept({ merge_train_required_statuses: ['unit'], merge_train_timeout: 30, merge_train_parallel_cars: 3 }),
  ...allKept({ merge_train_retries: 0, merge_train_batch_size: 7 }),
  ...allKept({ merge_train_required_status_count: 5, merge_train_settling_seconds: 0 }),
  ...each('remove_source_branch_after_merge request_access_enabled', kept(false)),
  ...each('merge_commit_template squash_commit_template suggestion_commit_message', kept('text')),
  ...Object.fromEntries(
    ['forking', 'issues', 'merge_requests', 'monitor', 'package_registry', 'repository', 'snippets'].map((name) => [
      `${name}_access_level`,
      kept('private'),
    ]),
  ),
  ...Object.fromEntries(
    ['issues', 'merge_requests', 'packages', 'snippets'].map((name) => [
      `${name}_enabled`,
      alone(false, `${name}_enabled`),
    ]),
  ),
  ...Object.fromEntries(fixedFeatures.split(' ').map((name) => [`${name}_access_level`, refused('disabled')])),
  ...each(
    'wiki_enabled jobs_enabled container_registry_enabled lfs_enabled shared_runners_enabled printing_merge_request_link_enabled',
    refused(false),
  ),
  ci_config_path: refused('text'),
  build_timeout: refused(600),
  auto_cancel_pending_pipelines: refused('disabled'),
  namespace_id: kept(ids.house, 'namespace.id'),
  initialize_with_readme: because('the repositories of the fixture are made so'),
  resolve_outdated_diff_discussions: refused(true),
  emails_disabled: alone(true, 'emails_disabled'),
  autoclose_referenced_issues: refused(false),
  emails_enabled: kept(false),
  approvals_before_merge: kept(2),
  mr_default_target_self: because('forks alone show it; the test of forks does'),
  avatar: because('a file of a multipart body; avatar.comp.test shows it'),
});

/** Settings of users. */
export const userSettings = (): Settings => ({
  ...each('bio discord github job_title linkedin location note organization pronouns skype twitter', kept('something')),
  ...allKept({
    name: 'Named',
    username: 'person',
    website_url: 'https://site.example',
  }),
  ...allKept({ external: true, private_profile: true }),
  ...each(
    'email public_email commit_email skip_reconfirmation',
    because('they count once they are confirmed; user-emails.comp.test shows it'),
  ),
  ...each('color_scheme_id theme_id projects_limit', kept(3)),
  ...each('shared_runners_minutes_limit extra_shared_runners_minutes_limit', kept(7)),
  admin: kept(true, 'is_admin'),
  can_create_group: kept(false),
  avatar: because('a file of a multipart body; avatar.comp.test shows it'),
  skip_confirmation: because('the time of the confirmation alone shows it; users.comp.test shows it'),
  ...each(
    'password force_random_password reset_password',
    because('passwords are shown to no one; users.comp.test shows them'),
  ),
});

const issuable = (ids: Readonly<Record<string, number>>): Settings => ({
  ...allKept({ title: 'Named', description: 'text', discussion_locked: true, labels: ['bug'] }),
  state_event: kept('close', 'state', 'closed'),
  assignee_ids: kept([ids.ada], 'assignees.0.id', ids.ada),
  assignee_id: alone(ids.bob, 'assignees.0.id'),
  milestone_id: kept(ids['milestone v1'], 'milestone.id'),
  add_labels: alone(['feature'], 'labels', ['bug', 'feature'] as never),
  remove_labels: alone(['feature'], 'labels', ['bug'] as never),
});

/** What is set on issues. */
export const issueSettings = ({ ids }: ParameterFixture): Settings => ({
  ...issuable(ids),
  ...allKept({
    due_date: '2090-01-01',
    confidential: true,
    issue_type: 'incident',
    weight: 3,
    health_status: 'at_risk',
    iid: 77,
  }),
  ...allKept({ created_at: '2020-01-01T00:00:00.000Z', updated_at: '2090-01-01T00:00:00.000Z' }),
  epic_id: kept(ids.epic, 'epic.id'),
  iteration_id: refused(1),
});

/** What is set on merge requests. */
export const mergeRequestSettings = ({ ids }: ParameterFixture): Settings => ({
  ...issuable(ids),
  ...allKept({ squash: true, merge_after: '2090-01-01T00:00:00.000Z' }),
  reviewer_ids: kept([ids.bob], 'reviewers.0.id', ids.bob as never),
  remove_source_branch: kept(true, 'force_remove_source_branch'),
  target_branch: alone('red', 'target_branch'),
  source_branch: because('it makes the merge request what it is'),
  target_project_id: because('there are no forks: it can name the project itself alone'),
  ...each('allow_collaboration allow_maintainer_to_push', because('it counts in forks, which do not exist')),
  approvals_before_merge: kept(2),
});
