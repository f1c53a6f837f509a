import type { AccessTokenRecord } from '../domain/access-token';
import type { TokenRecord } from '../domain/personal-access-token-row';

/** A token record (G-2-27). */
export const presentToken = (token: TokenRecord) => ({
  id: token.id,
  name: token.name,
  revoked: token.revoked,
  created_at: token.created_at.toISOString(),
  description: token.description,
  scopes: token.scopes,
  user_id: token.user_id,
  last_used_at: token.last_used_at?.toISOString() ?? null,
  active: token.active,
  expires_at: token.expires_at,
});

/** A single record, with the addresses it was used from. */
export const presentSingleToken = (token: TokenRecord) => ({
  ...presentToken(token),
  last_used_ips: token.last_used_ips,
});

/** The only answer that carries the token itself. */
export const presentNewToken = (token: TokenRecord, secret: string) => ({ ...presentToken(token), token: secret });

/** An impersonation token. */
export const presentImpersonationToken = (token: TokenRecord) => ({ ...presentToken(token), impersonation: true });

/** The answer that carries an impersonation token itself. */
export const presentNewImpersonationToken = (token: TokenRecord, secret: string) => ({
  ...presentImpersonationToken(token),
  token: secret,
});

/** An access token of a project or group. */
export const presentAccessToken = (token: AccessTokenRecord) => ({
  ...presentSingleToken(token),
  access_level: token.access_level,
  resource_type: token.project_id === null ? 'group' : 'project',
  resource_id: token.project_id ?? token.namespace_id,
});

/** The answer that carries an access token itself. */
export const presentNewAccessToken = (token: AccessTokenRecord, secret: string) => ({
  ...presentAccessToken(token),
  token: secret,
});
