import { AsyncLocalStorage } from 'node:async_hooks';
import type { Metadata } from '@grpc/grpc-js';
import { isAppError, mayHaveBegun } from '@switchyard/errors';

interface Undertaking {
  begun: boolean;
}

const undertakings = new AsyncLocalStorage<Undertaking>();

/**
 * Runs what a caller waits for. What asks the caller to come again (`unavailable`, `rate_limited`, `request_timeout`)
 * after something was begun, here or by a peer that answered, says so (ADR 49); what succeeds returns whether something
 * was.
 */
export async function trackBegun<T>(work: () => Promise<T>): Promise<{ result: T; begun: boolean }> {
  const undertaking: Undertaking = { begun: false };
  try {
    const result = await undertakings.run(undertaking, work);
    return { result, begun: undertaking.begun };
  } catch (error) {
    const isOpen = undertaking.begun && isAppError(error, 'unavailable', 'rate_limited', 'request_timeout');
    throw isOpen ? mayHaveBegun(error) : error;
  }
}

/** What notes that the running work has begun something, also when it is called from outside of its async context. */
export function begunNoter(): () => void {
  const undertaking = undertakings.getStore();
  return () => {
    if (undertaking !== undefined) undertaking.begun = true;
  };
}

const begunKey = 'switchyard-begun';

/** Adds to the trailer of a call that was answered that it has begun something. */
export const markBegun = (trailer: Metadata): void => trailer.set(begunKey, 'true');

/** Passes on what the trailer of a call says of that. */
export function copyBegun(from: Metadata, to: Metadata): void {
  if (hasBegun(from)) markBegun(to);
}

/** Whether the trailer of a call says that it has begun something. */
export const hasBegun = (trailer: Metadata): boolean => trailer.get(begunKey).length > 0;
