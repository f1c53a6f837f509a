import { allScopes, ordinaryScopes } from '@switchyard/rights';

/** True when a token of a user may have all of `scopes`. */
export const mayHaveScopes = (scopes: readonly string[], administrator: boolean): boolean =>
  scopes.every((scope) => (administrator ? allScopes : ordinaryScopes).includes(scope));
