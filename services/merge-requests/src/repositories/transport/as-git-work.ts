import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import type { CallContext, ServiceImplementation } from '@switchyard/rpc';
import { type CallerWork, gitLimits, runForCaller } from '../../git';

const gitCallerOf = (userId: number, process: string): Pick<CallerWork, 'caller' | 'single'> =>
  // Anonymous requests, and those that a service makes for itself, belong to no single user: their wait is not the
  // user's own fault.
  userId > 0 ? { caller: `user ${userId}`, single: true } : { caller: process, single: false };

/**
 * Every handler of every service as work of its caller: whatever git it starts has a place, and ends with the call
 * (D3). It is done to the services as a whole, so that no handler has to think of it.
 */
export const runAsGitWork = (services: readonly ServiceImplementation[]): readonly ServiceImplementation[] =>
  services.map((service) => ({
    ...service,
    handlers: Object.fromEntries(
      Object.entries(service.handlers).map(([name, handler]) => {
        const method = service.definition[name];
        // What a stream starts, after its handler has returned, would be work of no caller: one that runs git says so by
        // `streamAsGitWork`.
        if (method?.responseStream) return [name, handler];
        return [
          name,
          (request: never, context: CallContext) => {
            const work: CallerWork = {
              ...gitCallerOf(context.actor.userId, context.caller),
              kind: 'call',
              // Read by work that runs git, and by no other.
              get signal() {
                return context.signal;
              },
            };
            return runForCaller(work, async () => handler(request, context));
          },
        ];
      }),
    ),
  }));

const ofNobody = AsyncLocalStorage.snapshot();

/**
 * Work for another process of the service, whose own caller has a place there, as background work: with places here as
 * well two processes would wait for each other.
 */
export const asBackground = <T>(work: () => Promise<T>): Promise<T> => ofNobody(work);

/** Messages that wait for the caller of a stream. */
const messagesAhead = 4;

/**
 * The messages of a streaming handler as work of its caller. Git that it starts ends with the call, and where the caller
 * takes nothing for `idleMs` ({@link gitLimits}).
 */
export async function* streamAsGitWork<T>(context: CallContext, messages: () => AsyncIterable<T>): AsyncGenerator<T> {
  const taken = new PassThrough({ objectMode: true, highWaterMark: messagesAhead });
  const left = new AbortController();
  const signal = AbortSignal.any([context.signal, left.signal]);
  const work = runForCaller(
    { ...gitCallerOf(context.actor.userId, context.caller), kind: 'transfer', signal },
    async () => {
      for await (const message of messages()) {
        if (taken.write(message)) continue;
        await once(taken, 'drain', { signal: AbortSignal.any([signal, AbortSignal.timeout(gitLimits().idleMs)]) });
      }
      taken.end();
    },
  ).catch((error: unknown) => void taken.destroy(error as Error));
  try {
    yield* taken as AsyncIterable<T>;
  } finally {
    left.abort();
    taken.destroy();
    await work;
  }
}

/** One request of the internal HTTP port as work of its caller; it ends when the client disconnects. */
export async function runRequestAsGitWork(
  kind: CallerWork['kind'],
  userId: number,
  response: ServerResponse,
  work: () => Promise<void>,
): Promise<void> {
  const disconnected = new AbortController();
  const onClose = (): void => {
    if (!response.writableFinished) disconnected.abort();
  };
  response.once('close', onClose);
  if (response.destroyed) onClose();
  try {
    await runForCaller({ ...gitCallerOf(userId, 'gateway'), kind, signal: disconnected.signal }, work);
  } finally {
    response.off('close', onClose);
  }
}
