import type { TokenFilter } from '../domain/personal-access-token-row';

/** Filters of a list of tokens as they come; absent and empty ones filter nothing. */
interface WireFilter {
  readonly revoked?: boolean | undefined;
  readonly state: string;
  readonly search: string;
  readonly createdAfter?: Date | undefined;
  readonly createdBefore?: Date | undefined;
  readonly lastUsedAfter?: Date | undefined;
  readonly lastUsedBefore?: Date | undefined;
  readonly expiresAfter: string;
  readonly expiresBefore: string;
}

/** The state to list; the gateway lets no other word through. */
export const stateOf = (state: string): TokenFilter['state'] => (state || undefined) as TokenFilter['state'];

/** The filters of G-4.5-5. */
export const filterOf = (request: WireFilter): TokenFilter => ({
  revoked: request.revoked,
  state: stateOf(request.state),
  search: request.search || undefined,
  createdAfter: request.createdAfter,
  createdBefore: request.createdBefore,
  lastUsedAfter: request.lastUsedAfter,
  lastUsedBefore: request.lastUsedBefore,
  expiresAfter: request.expiresAfter || undefined,
  expiresBefore: request.expiresBefore || undefined,
});
