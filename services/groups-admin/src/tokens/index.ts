export { noticeDays } from './application/expire-tokens';
export type { PersonalAccessTokens } from './application/personal-access-tokens';
export {
  generateToken,
  type PresentedAs,
  presentedDigest,
  type TokenDigest,
  tokenDigest,
} from './application/token';
export { composeTokens } from './compose';
export type { TokenRequest } from './domain/new-token';
export type { TokenFilter } from './domain/personal-access-token-row';
export { presentNewToken, presentToken } from './presenters/personal-access-token.presenter';
export { replaceRootToken } from './storage/root-token.store';
export { filterOf } from './transport/token-filter';
