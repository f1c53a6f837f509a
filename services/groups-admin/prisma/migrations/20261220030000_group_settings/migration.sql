-- Settings of groups that nothing is behind are printed with their defaults from now on and not stored. Of those that are
-- enforced from now on, releases before this one took nothing but the defaults, and stored a part of them.
update namespaces
set settings = settings - array[
  'require_two_factor_authentication', 'two_factor_grace_period', 'auto_devops_enabled', 'lfs_enabled',
  'shared_runners_minutes_limit', 'extra_shared_runners_minutes_limit', 'wiki_access_level',
  'experiment_features_enabled', 'assistant_availability', 'assistant_features_enabled',
  'lock_assistant_features_enabled', 'shared_runners_setting', 'file_template_project_id',
  'math_rendering_limits_enabled', 'lock_math_rendering_limits_enabled', 'max_artifacts_size',
  'default_branch_protection', 'default_branch_protection_defaults', 'enabled_git_access_protocol',
  'ip_restriction_ranges']
where settings <> '{}'::jsonb;
