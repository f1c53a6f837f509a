import { retrySeconds } from '@switchyard/errors';
import { type ResolveResponse, ResolveResponse_TokenRefusal as Token } from '@switchyard/protos/groups_admin/v1/access';
import { counter, logger } from '@switchyard/telemetry';
import { addressKey } from './client-address';
import { keyGuard, type WrongKeyLimits } from './key-guard';
import { countingWindows, Throttled, type Windows } from './rate-limits';

import type { AccessResolver } from './resolve-access';

/**
 * Unknown tokens that may be presented. Those of an address allow for a fleet of runners behind one router that has
 * missed the change of a token; those of an account count where a client names one, as git does.
 */
const unknownTokens: WrongKeyLimits = {
  address: { requests: 600, seconds: 60 },
  accountFromAddress: { requests: 60, seconds: 60 },
  account: { requests: 300, seconds: 600 },
};

/** Longest name of an account, characters. No longer one is counted for: a header holds a hundred times as much. */
const maxAccountLength = 255;

/** Lines about failed logins of one address: no one can fill a disk with them. */
const lineLimit = { requests: 60, seconds: 60 } as const;

const countFailure = counter({
  name: 'switchyard_failed_logins_total',
  help: 'Requests whose token was unknown, expired or revoked',
});
const countThrottled = counter({
  name: 'switchyard_failed_logins_throttled_total',
  help: 'Requests answered 429 because of failed logins before them',
});

const isUnknown = ({ tokenRefusal }: ResolveResponse): boolean => tokenRefusal === Token.TOKEN_REFUSAL_UNKNOWN;

const isFailed = ({ tokenRefusal }: ResolveResponse): boolean =>
  tokenRefusal === Token.TOKEN_REFUSAL_UNKNOWN ||
  tokenRefusal === Token.TOKEN_REFUSAL_EXPIRED ||
  tokenRefusal === Token.TOKEN_REFUSAL_REVOKED;

/** Length from which a text may be a token: clients of other forges send one in place of a username. */
const tokenLength = 20;

const shown = (account: string | undefined): string | undefined =>
  account !== undefined && account.length >= tokenLength ? `${account.slice(0, 4)}…` : account;

/**
 * A resolver that bounds guesses (`KeyGuard`): over a limit an unknown token throws `Throttled`, and every other one
 * still gets its answer. Who presents an expired or revoked token does not guess. Failed logins of every kind are
 * counted and logged.
 * @param scale factor on the limits; 0 turns them off
 * @param windows in which unknown tokens are counted
 */
export function guardLogins(
  access: AccessResolver,
  scale: number,
  windows: Windows,
  now: () => number = Date.now,
): Pick<AccessResolver, 'resolve'> {
  const guard = keyGuard(unknownTokens, scale, windows, now);
  const lines = countingWindows(now);

  function noteFailure(address: string | undefined, account: string | undefined): void {
    countFailure();
    if (lines.count(addressKey(address), lineLimit.seconds).count <= lineLimit.requests)
      logger.warn({ address, account: shown(account) }, 'login failed');
  }

  return {
    async resolve(question, requestId, options) {
      const { token, kind = 'user', username = '', account, address } = question;
      const resolve = () => access.resolve(question, requestId, options);
      if (token === undefined || token === '') return resolve();
      const counted = account !== undefined && account.length <= maxAccountLength ? account.toLowerCase() : undefined;
      const presented = {
        ip: addressKey(address),
        name: kind === 'user' ? token : JSON.stringify([kind, username, token]),
        account: counted,
      };
      let resolved: Awaited<ReturnType<typeof resolve>> | undefined;
      const admission = await guard.admit(presented, async () => {
        resolved = await resolve();
        return !isUnknown(resolved.answer);
      });
      if (admission === 'guessing') noteFailure(address, account);
      if (admission === 'guessing' || admission === 'busy') {
        countThrottled();
        throw new Throttled(admission === 'busy' ? retrySeconds() : guard.waitSeconds);
      }
      if (resolved === undefined) {
        // It has been right within the hour.
        resolved = await resolve();
        if (isUnknown(resolved.answer)) guard.remember(presented, false);
      }
      if (isFailed(resolved.answer)) noteFailure(address, account);
      return resolved;
    },
  };
}
