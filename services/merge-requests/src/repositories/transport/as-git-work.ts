import type { ServerResponse } from 'node:http';
import type { CallContext, ServiceImplementation } from '@switchyard/rpc';
import { type CallerWork, runForCaller } from '../../git';

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
        // A stream runs no git: what it started, after its handler has returned, would be work of no caller.
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
