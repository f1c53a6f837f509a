import { allScopes, ordinaryScopes } from '@switchyard/rights';

/** Scopes that a token of a user may have. */
export const scopesOf = ({ admin }: { admin: boolean }): readonly string[] => (admin ? allScopes : ordinaryScopes);
