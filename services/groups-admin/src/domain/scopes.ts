/** Scopes any personal access token may have (G §4.5). */
export const ordinaryScopes = [
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
] as const;

/** Scopes of administrators' tokens alone. */
export const administratorScopes = ['sudo', 'admin_mode', 'read_service_ping'] as const;

/** Scopes a user may give a token of their own over the API (G-5-10). */
export const selfServiceScopes: readonly string[] = ['k8s_proxy', 'self_rotate'];

/** Every scope there is. */
export const allScopes: readonly string[] = [...ordinaryScopes, ...administratorScopes];

/** True when a token of a user may have all of `scopes`. */
export const mayHaveScopes = (scopes: readonly string[], administrator: boolean): boolean =>
  scopes.every((scope) => (administrator ? allScopes : (ordinaryScopes as readonly string[])).includes(scope));
