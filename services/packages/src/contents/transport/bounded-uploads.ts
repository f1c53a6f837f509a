import type { IncomingMessage } from 'node:http';
import { AppError } from '@switchyard/errors';
import { admissionQueue, anonymous, type ForwardedCall, type ForwardedEndpoint } from '@switchyard/rpc';
import type { Area } from '@switchyard/service';

/**
 * Uploads that a process receives at a time, those of one caller, and those that wait. On S3 each has up to two parts of 5 MiB in memory.
 */
const places = { slots: 32, slotsOfOwner: 16, maxWaiting: 200 } as const;

/** Bytes that an upload brings in a window of so many milliseconds, if it is not slow: half of the time that others wait. */
const leastPace = { windowMs: 4_000, leastBytes: 64 << 10 } as const;

const writing = new Set(['PUT', 'POST']);

/** For whom a transfer is: a user, whatever the token, or a deploy token; callers without a token are one. */
export const ownerOf = ({ claims: { actor = anonymous } }: ForwardedCall): string =>
  actor.deployTokenId === undefined ? `user ${actor.userId}` : `deploy token ${actor.deployTokenId}`;

/** An upload that has a slot. */
interface Upload {
  readonly owner: string;
  readonly request: IncomingMessage;
  /** It brought too little in its last window. */
  isSlow: boolean;
  readonly giveUp: () => void;
}

/**
 * The same areas, whose endpoints that keep a body do so for a bounded number of requests at a time, all of them together.
 * Others wait for some seconds, before their body is read, and then fail with `unavailable`. Where some wait, slow uploads
 * are given up for them with `request_timeout`, first those of the caller with the most uploads: a slot is for a transfer that
 * moves.
 */
export function withBoundedUploads(areas: readonly Area[], queue = admissionQueue(places), pace = leastPace): Area[] {
  const uploads = new Set<Upload>();

  /** Gives up a slow upload for each that waits. */
  function makeRoom(): void {
    for (let wanted = queue.waiting(); wanted > 0; wanted -= 1) {
      const counts = new Map<string, number>();
      for (const { owner } of uploads) counts.set(owner, (counts.get(owner) ?? 0) + 1);
      const [slowest] = [...uploads]
        .filter(({ isSlow, request }) => isSlow && !request.complete)
        .sort((one, other) => (counts.get(other.owner) ?? 0) - (counts.get(one.owner) ?? 0));
      if (slowest === undefined) return;
      uploads.delete(slowest);
      slowest.giveUp();
    }
  }

  /** Runs an upload until it ends or is given up; then its body ends with the reply, and what was received is dropped. */
  async function paced({ run }: ForwardedEndpoint, call: ForwardedCall, owner: string): Promise<void> {
    const { request } = call;
    let seen = request.socket.bytesRead;
    let giveUp: () => void = () => undefined;
    const givenUp = new Promise<never>((_, reject) => {
      giveUp = () => {
        // What keeps the body must not see its end after the caller has heard that nothing was begun, and ends without it.
        request.push = (chunk: unknown) => {
          if (chunk === null) request.destroy();
          return true;
        };
        call.response.once('close', () => request.destroy());
        reject(new AppError('request_timeout'));
      };
    });
    const own: Upload = { owner, request, isSlow: false, giveUp };
    uploads.add(own);
    const timer = setInterval(() => {
      const { bytesRead } = request.socket;
      // What is here and not taken is the service's delay.
      own.isSlow = !request.complete && request.readableLength === 0 && bytesRead - seen < pace.leastBytes;
      seen = bytesRead;
      if (own.isSlow) makeRoom();
    }, pace.windowMs);
    try {
      await Promise.race([run(call), givenUp]);
    } finally {
      clearInterval(timer);
      uploads.delete(own);
    }
  }

  async function bounded(endpoint: ForwardedEndpoint, call: ForwardedCall): Promise<void> {
    const left = new AbortController();
    call.response.once('close', () => left.abort());
    const owner = ownerOf(call);
    const done = queue.run(() => paced(endpoint, call, owner), { owner, signal: left.signal });
    makeRoom();
    await done;
  }
  const boundedEndpoint = (endpoint: ForwardedEndpoint): ForwardedEndpoint =>
    endpoint.keepsNothing !== true && endpoint.methods.some((method) => writing.has(method))
      ? { ...endpoint, run: (call) => bounded(endpoint, call) }
      : endpoint;
  return areas.map(({ http = [], ...area }) => ({ ...area, http: http.map(boundedEndpoint) }));
}
