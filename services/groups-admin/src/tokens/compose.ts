import { repeat } from '@switchyard/background';
import type { Area } from '@switchyard/service';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import type { CurrentSettings } from '../settings';
import { accessTokens } from './application/access-tokens';
import { expireTokens } from './application/expire-tokens';
import { type PersonalAccessTokens, personalAccessTokens } from './application/personal-access-tokens';
import type { TokenDigest } from './application/token';
import { accessTokenStore } from './storage/access-token.store';
import { dueBots, noteInactiveBots } from './storage/access-token-bot.store';
import { tokenStore } from './storage/personal-access-token.store';
import { publishExpiring } from './storage/token-expiry.store';
import { accessTokenHandler } from './transport/access-token.handler';
import { personalAccessTokenHandler } from './transport/personal-access-token.handler';

/** Milliseconds between two searches for tokens that end soon, and for bots without one. Dates change once a day. */
const expiryIntervalMs = 3_600_000;

/** Tokens, and what follows from their end. */
export interface TokenArea extends Area {
  /** Publishes which tokens end soon and deletes bots without one, until nothing is left. */
  expire(stopping: AbortSignal): Promise<void>;
  /** Personal access tokens, for the areas that make users with tokens. */
  readonly personal: PersonalAccessTokens;
}

/** Personal access tokens, impersonation tokens, and the access tokens of projects and groups with their bots. */
export function composeTokens(
  { config, db, prisma, observe }: Edges,
  directory: DirectoryWriter,
  {
    digest,
    removeUser,
    settings,
  }: {
    digest: TokenDigest;
    settings: CurrentSettings;
    /** Deletes a user as the instance does. */
    removeUser(userId: number): Promise<void>;
  },
): TokenArea {
  const store = tokenStore(db, prisma, directory);
  const lifetime = async () => (await settings()).max_personal_access_token_lifetime;
  const tokens = observe('tokens', personalAccessTokens(store, digest, lifetime));
  const ofResources = observe(
    'access-tokens',
    accessTokens({
      store: accessTokenStore(db, directory),
      tokens: store,
      digest,
      lifetime,
      mailHost: new URL(config.SWITCHYARD_EXTERNAL_URL).hostname,
    }),
  );
  const { expire } = observe('tokens', {
    expire: expireTokens({
      publishExpiring: (days, limit) => publishExpiring(db, days, limit),
      noteInactiveBots: (limit) => noteInactiveBots(directory.transaction, limit),
      dueBots: (days, after, limit) => dueBots(db, days, after, limit),
      removeUser,
    }),
  });
  return {
    services: [personalAccessTokenHandler(tokens), accessTokenHandler(ofResources)],
    expire,
    personal: tokens,
    start: () => [repeat('tokens that end', expiryIntervalMs, expire)],
  };
}
