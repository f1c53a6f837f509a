import { AsyncLocalStorage } from 'node:async_hooks';

const requests = new AsyncLocalStorage<string>();

/** Runs `work` as part of a public request: every log line written in it, whatever it awaits, carries `requestId`. */
export const withRequestId = <T>(requestId: string, work: () => T): T => requests.run(requestId, work);

/** Id of the public request that the running code belongs to; undefined in background work. */
export const currentRequestId = (): string | undefined => requests.getStore();
