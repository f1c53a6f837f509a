import { type Api, Refusal } from './api.ts';
import type { TrainView } from './representations.ts';
import { readEvents } from './server-sent-events.ts';

/** Whether what is shown is what is so. */
export type Liveness =
  | { readonly kind: 'connecting' }
  | { readonly kind: 'live' }
  /** Not connected; the next try is at `retryAt`, milliseconds since 1970. */
  | { readonly kind: 'waiting'; readonly retryAt: number };

/** Receives what is read of a train. */
export interface Follower {
  onView(view: TrainView): void;
  onLiveness(liveness: Liveness): void;
  /** The token, or the right to read, is gone: there is no next try. */
  onRefused(refusal: Refusal): void;
}

/** First and longest pause before a next try, milliseconds. */
const minPauseMs = 500;
const maxPauseMs = 30_000;

/** Longest pause that a server can ask for, seconds: a timer cannot wait for more than 24 days. */
const maxRetryAfter = 3_600;

/** A connection that is silent for this long is dead: signs of life come every 15 s. */
const silentMs = 40_000;

const isFinal = (error: unknown): error is Refusal =>
  error instanceof Refusal && [400, 401, 403, 404].includes(error.status);

/** The pause after so many failures in a row: twice as long each time, and spread, so that pages do not return together. */
export const pauseAfter = (failures: number, retryAfter = 0, random = Math.random): number => {
  const pause = Math.min(maxPauseMs, minPauseMs * 2 ** Math.min(failures, 10));
  return Math.max(Math.min(retryAfter, maxRetryAfter) * 1_000, pause * (0.5 + random() / 2));
};

/** Which train is followed, by what. */
export interface Following {
  readonly api: Api;
  /** Path of the events. */
  readonly path: string;
  readonly follower: Follower;
  /** Fires `online` when the browser is connected again: the window. */
  readonly network: EventTarget;
}

/** Follows a train until the signal; the connection is made anew whenever it ends. */
export async function followTrain({ api, path, follower, network }: Following, signal: AbortSignal): Promise<void> {
  let failures = 0;
  while (!signal.aborted) {
    follower.onLiveness({ kind: 'connecting' });
    let retryAfter = 0;
    try {
      await readOnce(api, path, signal, (view) => {
        failures = 0;
        follower.onView(view);
        follower.onLiveness({ kind: 'live' });
      });
    } catch (error) {
      if (signal.aborted) return;
      if (isFinal(error)) return follower.onRefused(error);
      retryAfter = error instanceof Refusal ? error.retryAfter : 0;
    }
    if (signal.aborted) return;
    const pause = pauseAfter(failures, retryAfter);
    failures += 1;
    follower.onLiveness({ kind: 'waiting', retryAt: Date.now() + pause });
    await sleep(pause, signal, network);
  }
}

/** One connection, until it ends. */
async function readOnce(api: Api, path: string, signal: AbortSignal, onView: (view: TrainView) => void): Promise<void> {
  const connection = new AbortController();
  const end = (): void => connection.abort();
  signal.addEventListener('abort', end, { once: true });
  let silence = setTimeout(end, silentMs);
  const heard = (): void => {
    clearTimeout(silence);
    silence = setTimeout(end, silentMs);
  };
  try {
    const body = await api.open(path, connection.signal);
    for await (const { name, data } of readEvents(body, heard)) {
      if (name === 'train') onView(JSON.parse(data) as TrainView);
    }
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', end);
    end();
  }
}

/** Waits, or until the browser is online again. */
const sleep = (ms: number, signal: AbortSignal, network: EventTarget): Promise<void> =>
  new Promise((settle) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      network.removeEventListener('online', done);
      settle();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
    network.addEventListener('online', done);
  });
