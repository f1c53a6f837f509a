import { Metadata, type ServiceError, status } from '@grpc/grpc-js';

/** Metadata ahead of a reply that says that the call has arrived at a process that runs. */
const acknowledgedKey = 'switchyard-acknowledged';

const acknowledged = new Metadata();
acknowledged.set(acknowledgedKey, 'true');

/** Most calls are answered by then and cost no frame more; what keeps a process busy for seconds begins later. */
const acknowledgeAfterMs = 100;

/** What notifies the caller that its call has arrived. */
export interface Acknowledgement {
  /** At once, if not yet: with the reply at the latest. */
  send(): void;
  /** Not by itself: the call is refused, or another process answers it. */
  leave(): void;
}

/** Acknowledges a call 100 ms after it has arrived. */
export function acknowledgement(call: { sendMetadata(metadata: Metadata): void }): Acknowledgement {
  const send = (): void => {
    clearTimeout(timer);
    call.sendMetadata(acknowledged);
  };
  const timer = setTimeout(send, acknowledgeAfterMs);
  return { send, leave: () => clearTimeout(timer) };
}

/** Whether what came ahead of a reply acknowledges the call. */
export const isAcknowledged = (metadata: Metadata): boolean => metadata.get(acknowledgedKey).length > 0;

const tickMs = 500;

/**
 * Milliseconds for which a call that may be repeated waits to be acknowledged: in all, and for the first of several
 * replicas. One that is only slow acknowledges at once; a process would have to stand still for that long.
 */
export const silence = { ofAll: 2_500, ofFirst: 1_000 } as const;

/** A version before this one acknowledges nothing; while one of its replicas answers, silence means nothing. */
const unknowingMs = 10_000;

/** What a peer is known to do, by its replies. */
export interface Attention {
  /** Takes in what came ahead of a reply. */
  heard(metadata: Metadata): void;
  /**
   * Runs `giveUp` after so many milliseconds, unless it is ended before; never for a peer that does not acknowledge.
   * @returns what ends it
   */
  watch(milliseconds: number, giveUp: () => void): () => void;
}

/** Knows nothing of its peer yet. */
export function attention(): Attention {
  let acknowledges = false;
  let lastUnknowing = Number.NEGATIVE_INFINITY;
  return {
    heard(metadata) {
      if (isAcknowledged(metadata)) acknowledges = true;
      else lastUnknowing = performance.now();
    },
    watch(milliseconds, giveUp) {
      if (!acknowledges || performance.now() - lastUnknowing < unknowingMs) return () => undefined;
      let left = milliseconds;
      // Ticks: a process that was itself held up reads what has arrived before the next one.
      const tick = (): void => {
        left -= tickMs;
        if (left <= 0) giveUp();
        else timer = setTimeout(tick, tickMs);
      };
      let timer = setTimeout(tick, tickMs);
      return () => clearTimeout(timer);
    },
  };
}

const unacknowledged = 'Not acknowledged';

/** Ends a call that nobody has acknowledged; its peer may still begin it. */
export const unacknowledgedStatus = [status.UNAVAILABLE, unacknowledged] as const;

/** Whether a call was ended so. */
export const isUnacknowledged = ({ code, details }: Pick<ServiceError, 'code' | 'details'>): boolean =>
  code === status.UNAVAILABLE && details === unacknowledged;
