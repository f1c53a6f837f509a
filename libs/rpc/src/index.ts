export type { ServiceDefinition } from '@grpc/grpc-js';
export { addressRanges, isWithin } from './address-ranges';
export {
  type AdmissionQueue,
  type AdmissionQueueOptions,
  admissionQueue,
  overloaded,
  type Release,
} from './admission-queue';
export { begunNoter, trackBegun } from './begun';
export { type CallOptions, connect, type Peer, type RpcClient, type Sibling } from './client';
export { type Cost, measureCost, type StatementCounter } from './cost';
export { fromServiceError, toServiceError } from './error-status';
export { type ForwardedCall, type ForwardedEdges, type ForwardedEndpoint, forwardedHttp } from './forwarded';
export {
  assertOwnKey,
  forwardedMethod,
  type Identity,
  identityKey,
  readSigner,
  readTrustedKeys,
  type Signer,
  signClaims,
  type TrustedKeys,
} from './identity';
export { type Relay, relayedKey } from './relay';
export {
  entity,
  fixedOrder,
  json,
  nothing,
  page,
  pageOfLongRows,
  pageOfRenderedRows,
  pageRequest,
  replyTooLarge,
} from './representation';
export {
  anonymous,
  type CallContext,
  type CallerRule,
  type Elsewhere,
  type Handlers,
  implement,
  maxMessageBytes,
  type RunningServer,
  type ServerOptions,
  type ServiceImplementation,
  startServer,
  type WriteGuard,
} from './server';
export { readUploadForm, type TakeFormFile, type UploadFormRules, untilWhole } from './upload-form';
export { signedIn, viewerOf } from './viewer';
