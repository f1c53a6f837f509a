import type { Area } from '@switchyard/service';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import { personalAccessTokens } from './application/personal-access-tokens';
import type { TokenDigest } from './application/token';
import { tokenStore } from './storage/personal-access-token.store';
import { personalAccessTokenHandler } from './transport/personal-access-token.handler';

/** Personal access tokens. */
export function composeTokens(
  { config, db, prisma, observe }: Edges,
  directory: DirectoryWriter,
  digest: TokenDigest,
): Area {
  const store = tokenStore(db, prisma, directory);
  const tokens = observe('tokens', personalAccessTokens(store, digest, config.SWITCHYARD_TOKEN_LIFETIME_DAYS));
  return { services: [personalAccessTokenHandler(tokens)] };
}
