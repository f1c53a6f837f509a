export { answerInTime, deadline } from './answer-in-time';
export * from './domain/forge';
export { invalidUrl } from './invalid-url';
export { tokenIdentity } from './storage/token.store';
export { rotateSecrets, tokenRing } from './token-ring';
export { addressProblem } from './transport/address';
export { type ForgeaHost, forgeaClient, forgeaHost } from './transport/forgea.client';
export { forgesBy } from './transport/forges';
