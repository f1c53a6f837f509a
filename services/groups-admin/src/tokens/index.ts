export { presentedDigest, type TokenDigest, tokenDigest } from './application/token';
export { composeTokens } from './compose';
export { replaceRootToken } from './storage/root-token.store';
