import { Metadata, type ServiceError } from '@grpc/grpc-js';
import { observeRpc } from '@switchyard/telemetry';
import { isAcknowledged } from './acknowledgement';
import type { BalancedChannel } from './balanced-channel';
import { copyBegun } from './begun';
import { copyCost } from './cost';
import { fromServiceError } from './error-status';
import { identityKey } from './identity';
import { type ArrivedCall, type Relay, RelayedReply, relayedKey } from './relay';

const asTheyAre = (bytes: Buffer): Buffer => bytes;

/**
 * Claims name neither the process that they are for nor what encoded their content, so they hold where a call is relayed to with
 * its bytes as they were; each process keeps its own record of used ones (ADR 18).
 */
function metadataOf(given: Metadata): Metadata {
  const metadata = new Metadata();
  for (const key of [identityKey, 'x-request-id']) for (const value of given.get(key)) metadata.add(key, value);
  copyCost(given, metadata);
  metadata.set(relayedKey, 'true');
  return metadata;
}

const argumentsOf = ({ path, request, metadata, deadline }: ArrivedCall) =>
  [path, asTheyAre, asTheyAre, request, metadataOf(metadata), { deadline }] as const;

/** Ends what runs when a signal fires; what it returns ends that. */
function endingWith(signal: AbortSignal, cancel: () => void): () => void {
  if (signal.aborted) cancel();
  else signal.addEventListener('abort', cancel, { once: true });
  return () => signal.removeEventListener('abort', cancel);
}

/** Relays over a channel; nothing is repeated, since the first caller may do so. @param ready channel of a call with a deadline, as `BalancedChannel` gives it */
export const relayOver = (ready: BalancedChannel['ready']): Relay => ({
  async unary(call, acknowledge) {
    const channel = await ready(call.deadline);
    const done = observeRpc('client', call.path);
    const trailer = new Metadata();
    return new Promise((resolve, reject) => {
      const running = channel.makeUnaryRequest(
        ...argumentsOf(call),
        (error: ServiceError | null, bytes: Buffer | undefined) => {
          leave();
          done(error === null ? 'ok' : 'failed');
          // The status event, with the trailer, follows in the same turn.
          if (error === null)
            queueMicrotask(() => resolve({ reply: new RelayedReply(bytes ?? Buffer.alloc(0)), trailer }));
          else reject(fromServiceError(error));
        },
      );
      running.on('metadata', (metadata) => {
        if (isAcknowledged(metadata)) acknowledge();
      });
      running.on('status', ({ metadata }) => {
        copyBegun(metadata, trailer);
        copyCost(metadata, trailer);
      });
      const leave = endingWith(call.signal, () => running.cancel());
    });
  },

  async *stream(call) {
    const channel = await ready(call.deadline);
    const running = channel.makeServerStreamRequest<Buffer, Buffer>(...argumentsOf(call));
    const leave = endingWith(call.signal, () => running.cancel());
    try {
      for await (const bytes of running) yield new RelayedReply(bytes as Buffer);
    } catch (error) {
      throw fromServiceError(error as ServiceError);
    } finally {
      leave();
      running.cancel();
    }
  },
});
