import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import type { TokenDigest } from '../tokens';
import { announceEnds } from './application/announce-ends';
import { deployTokens } from './application/deploy-tokens';
import { deployTokenStore } from './storage/deploy-token.store';
import { publishExpiring } from './storage/deploy-token-expiry.store';
import { deployTokenHandler } from './transport/deploy-token.handler';

/** Deploy tokens of projects and groups. */
export const composeDeployTokens = ({ db, observe }: Pick<Edges, 'db' | 'observe'>, digest: TokenDigest): Area => ({
  services: [deployTokenHandler(observe('deploy-tokens', deployTokens(deployTokenStore(db), digest)))],
  start: () => [announceEnds((days, limit) => publishExpiring(db, days, limit))],
});
