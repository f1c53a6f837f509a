/** Scopes any personal access token may have (G §4.5). */
export const ordinaryScopes: readonly string[] = [
  'api',
  'read_api',
  'read_user',
  'create_runner',
  'manage_runner',
  'k8s_proxy',
  'self_rotate',
  'mcp',
  'read_repository',
  'write_repository',
  'read_registry',
  'write_registry',
  'read_virtual_registry',
  'write_virtual_registry',
  'read_observability',
  'write_observability',
  'ai_features',
];

/** Every scope there is: beside the ordinary ones those of administrators' tokens. */
export const allScopes: readonly string[] = [...ordinaryScopes, 'sudo', 'admin_mode', 'read_service_ping'];

/** Scopes a user may give a token of their own over the API (G-5-10). */
export const selfServiceScopes: readonly string[] = ['k8s_proxy', 'self_rotate'];

/** Scopes of access tokens of projects and groups, whose bots have no profile of their own. */
export const resourceScopes: readonly string[] = ordinaryScopes.filter((scope) => scope !== 'read_user');

/** Scopes of deploy tokens that open something here. */
export const deployScopes: readonly string[] = ['read_repository', 'read_package_registry', 'write_package_registry'];
