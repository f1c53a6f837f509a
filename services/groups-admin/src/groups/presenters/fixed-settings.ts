/**
 * Settings of a group that nothing is behind (G-4.15-5, G-4.15-6). They are printed with the defaults that clients
 * expect; the gateway takes no other value.
 */
export const fixedSettings = {
  require_two_factor_authentication: false,
  two_factor_grace_period: 48,
  auto_devops_enabled: null,
  lfs_enabled: true,
  math_rendering_limits_enabled: true,
  lock_math_rendering_limits_enabled: false,
  shared_runners_setting: 'enabled',
  max_artifacts_size: null,
  file_template_project_id: null,
  wiki_access_level: 'enabled',
} as const;

/** The same of groups above the tier `free`. */
export const paidFixedSettings = {
  shared_runners_minutes_limit: null,
  extra_shared_runners_minutes_limit: null,
  assistant_features_enabled: true,
  lock_assistant_features_enabled: false,
  assistant_availability: 'default_on',
  experiment_features_enabled: false,
} as const;
