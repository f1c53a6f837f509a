import type { DeployTokenRecord } from '../domain/deploy-token';

/** A deploy token. One that was deleted is gone, so none is ever `revoked`. */
export const presentDeployToken = (token: DeployTokenRecord) => ({
  id: token.id,
  name: token.name,
  username: token.username,
  expires_at: token.expires_at?.toISOString() ?? null,
  scopes: token.scopes,
  last_used_at: token.last_used_at?.toISOString() ?? null,
  revoked: false,
  expired: token.expired,
});

/** The only answer that carries the token itself. */
export const presentNewDeployToken = (token: DeployTokenRecord, secret: string) => ({
  ...presentDeployToken(token),
  token: secret,
});
