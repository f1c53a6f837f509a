import { Metadata as GrpcMetadata, type Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { AppError, type ErrorKind, errorKinds, mayHaveBegun, unavailable } from '@switchyard/errors';
import { ErrorDetail } from '@switchyard/protos/rpc/v1/representation';
import { boundedBody } from './bounded-body';
import { ClaimsRefused } from './identity';

const detailKey = 'switchyard-error-bin';

/**
 * Bytes of the JSON of an error: as metadata, in base64, it takes a third more. HTTP/2 breaks off a call whose headers
 * exceed 64 KiB, and half of that leaves room for what others put beside it.
 */
const maxBodyBytes = 24 << 10;

/** Seconds: a day. What another server asked for has no bound, and the field has 32 bits. */
const maxRetryAfter = 86_400;

/** Seconds after which a caller asks again for what a peer of an earlier version lacks; a replica takes some to be replaced. */
const secondsToReplace = 5;

/** Kinds for statuses that arrive without a detail: grpc-js's own, or a proxy's. */
const kindOfBareStatus: Record<number, ErrorKind> = {
  [status.DEADLINE_EXCEEDED]: 'unavailable',
  [status.CANCELLED]: 'unavailable',
  [status.RESOURCE_EXHAUSTED]: 'too_large',
};

/**
 * Whether a call ended because the peer, or the connection to it, broke off: `UNAVAILABLE`, or a stream that was reset
 * or closed before its status (`Received RST_STREAM with code 0`), which grpc-js reports as `INTERNAL`. A peer that
 * fails always sends a detail.
 */
export const isBrokenOff = ({ code, details }: Pick<ServiceError, 'code' | 'details'>): boolean =>
  code === status.UNAVAILABLE ||
  (code === status.INTERNAL && /^Received RST_STREAM|Call ended without gRPC status/.test(details));

/** Whether the peer refused a call before it looked at it, as one that drains does: a repetition has no second effect. */
export const isRefused = ({ code, details }: Pick<ServiceError, 'code' | 'details'>): boolean =>
  code === status.UNAVAILABLE && details === 'Stream refused by server';

/** Whether the peer itself said what failed. */
export const isAnswered = ({ metadata }: Pick<ServiceError, 'metadata'>): boolean =>
  (metadata?.get(detailKey).length ?? 0) > 0;

/**
 * Whether the peer does not know the RPC: it is of an earlier version, whose replicas are still being replaced. Nothing
 * was begun.
 */
export const isUnknown = (error: Pick<ServiceError, 'code' | 'metadata'>): boolean =>
  error.code === status.UNIMPLEMENTED && !isAnswered(error);

/** Whether a call has not left this process, or was sent back unread: the texts are those of grpc-js. */
const wasNeverSent = (error: ServiceError): boolean =>
  isRefused(error) ||
  (error.code === status.UNAVAILABLE &&
    /^(round_robin: )?No connection established|^Name resolution failed/.test(error.details));

/**
 * Turns a thrown error into the status that grpc-js sends; anything but an AppError becomes `internal` and shows
 * nothing. A body is cut at 24 KiB, with a note. To a process whose claims are refused the peer is unavailable: the
 * user's token is valid, and a client that gets 401 drops its token.
 */
export function toServiceError(error: unknown): Partial<ServiceError> & { metadata: Metadata } {
  if (error instanceof ClaimsRefused)
    return { ...toServiceError(unavailable(error)), code: status.UNAUTHENTICATED, details: 'claims refused' };
  const known = error instanceof AppError ? error : new AppError('internal', undefined, { cause: error });
  const metadata = new GrpcMetadata();
  const detail = ErrorDetail.encode({
    kind: known.kind,
    body: JSON.stringify(boundedBody(known.body, maxBodyBytes)),
    retryAfter: Math.min(Math.max(0, Math.ceil(known.retryAfter ?? 0)), maxRetryAfter),
    begun: known.begun,
  }).finish();
  metadata.set(detailKey, Buffer.from(detail));
  return { code: status[errorKinds[known.kind].grpc], details: known.kind, metadata };
}

/**
 * Rebuilds the AppError a peer threw; a status without a detail becomes `internal`, or `unavailable`, of which a peer that was reached may have
 * begun the work. */
export function fromServiceError(error: ServiceError): AppError {
  const raw = error.metadata?.get(detailKey)[0];
  if (raw instanceof Buffer) {
    const detail = ErrorDetail.decode(raw);
    if (detail.kind in errorKinds) {
      const retryAfter = detail.retryAfter === 0 ? undefined : detail.retryAfter;
      const { begun } = detail;
      return new AppError(detail.kind as ErrorKind, JSON.parse(detail.body), { cause: error, retryAfter, begun });
    }
  }
  if (isUnknown(error)) return unavailable(error, secondsToReplace);
  const kind = isBrokenOff(error) ? 'unavailable' : (kindOfBareStatus[error.code] ?? 'internal');
  if (kind !== 'unavailable') return new AppError(kind, undefined, { cause: error });
  return wasNeverSent(error) ? unavailable(error) : mayHaveBegun(error);
}
