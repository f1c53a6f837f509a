import type { Metadata } from '@grpc/grpc-js';

/**
 * Metadata, and the header of a forwarded request, that says that a call was relayed: it is answered where it arrives. Not
 * signed: all that it can do is to keep a call from being relayed.
 */
export const relayedKey = 'switchyard-relayed';

/** A call as it arrived. */
export interface ArrivedCall {
  /** Path of the method. */
  readonly path: string;
  readonly request: Buffer;
  readonly metadata: Metadata;
  /** When the caller gives up, milliseconds since 1970. */
  readonly deadline: number;
  readonly signal: AbortSignal;
}

/** The encoded reply of a relayed call. */
export class RelayedReply {
  constructor(readonly bytes: Buffer) {}
}

/** Takes calls over from another process of the same service. */
export interface Relay {
  /** Has a call answered, and runs `acknowledge` once it has arrived there. @throws AppError as who answered */
  unary(
    call: ArrivedCall,
    acknowledge: () => void,
  ): Promise<{ readonly reply: RelayedReply; readonly trailer: Metadata }>;
  /** The same for one that streams its replies. */
  stream(call: ArrivedCall): AsyncIterable<RelayedReply>;
}
