import { tooManyRequests } from '@switchyard/errors';
import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import type { Request, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { addressKey } from './client-address';

/** One limit: at most `requests` in `seconds`, apart for signed-in and anonymous callers where they differ. */
export interface Limit {
  readonly requests: number;
  readonly seconds: number;
  /** Requests of a caller without a token, per address; by default the same as `requests`. */
  readonly anonymousRequests?: number;
  /** The refusal has the key of the family of imports (G-4.19-7). */
  readonly refusalKey?: 'errors';
  /** The limit with which its requests are counted; by default it counts its own. */
  readonly countedWith?: string;
}

/**
 * Application limits by the name a route gives (G-7-8, G-4.15-10). That of comments is kept by collaboration, for all
 * replicas together.
 */
export const applicationLimits = {
  groups_list: { requests: 200, seconds: 60 },
  group: { requests: 400, seconds: 60 },
  group_projects: { requests: 600, seconds: 60 },
  projects_list: { requests: 2_000, seconds: 600, anonymousRequests: 400 },
  project: { requests: 400, seconds: 60 },
  user: { requests: 300, seconds: 600 },
  emails: { requests: 20, seconds: 600 },
  project_export: { requests: 6, seconds: 60 },
  project_import: { requests: 6, seconds: 60 },
  import_placeholder: { requests: 10, seconds: 60 },
  uploads: { requests: 60, seconds: 60 },
  // All reports of three pipelines: jobs report as the user who caused theirs.
  dependency_reports: { requests: 300, seconds: 60 },
  issues_create: { requests: 300, seconds: 60 },
  forgea_import: { requests: 6, seconds: 60, refusalKey: 'errors' },
  forgeb_import: { requests: 6, seconds: 60, countedWith: 'forgea_import' },
  search: { requests: 30, seconds: 60, anonymousRequests: 10 },
} as const satisfies Record<string, Limit>;

/** Request throttles, off until enabled (G-7-8). */
export interface Throttles {
  readonly authenticated?: Limit;
  readonly unauthenticated?: Limit;
}

/** Limits as a gateway keeps them. */
export interface LimitsInForce {
  readonly throttles: Throttles;
  readonly application: Readonly<Record<keyof typeof applicationLimits, Limit>>;
}

/** Counts requests and refuses those over a limit. */
export interface RateLimits {
  /** The limits that are kept now. */
  inForce(): LimitsInForce;
  /** Keeps other limits from now on. */
  keep(limits: LimitsInForce): void;
  /** The request throttle of the caller; sets the RateLimit headers while one is enabled. Counts a request once. */
  throttle(request: Request, response: Response, actor: Actor): void;
  /** An application limit. */
  apply(name: string, request: Request, actor: Actor): void;
}

/** Most counters that are kept; beyond it the least recently used one goes. */
const maxCounters = 100_000;

/** A span of time in which something is counted. */
export interface Window {
  readonly count: number;
  /** When it ends, milliseconds since 1970. */
  readonly endsAt: number;
}

/** Counters of fixed windows, in memory. */
export interface Windows {
  /** Counts one more under `key`, in a window of `seconds` that begins with the first. */
  count(key: string, seconds: number): Window;
  /** The window under `key`; undefined when nothing has been counted in it. */
  find(key: string): Window | undefined;
  /** Takes one back that was counted under `key`, where its window has not ended. */
  discount(key: string): void;
  /** Replaces what is known of the window under `key`. */
  put(key: string, window: Window): void;
}

/** Makes counters. */
export function countingWindows(now: () => number = Date.now): Windows {
  const windows = new LRUCache<string, { count: number; endsAt: number }>({ max: maxCounters });
  const find = (key: string) => {
    const window = windows.get(key);
    return window === undefined || window.endsAt <= now() ? undefined : window;
  };
  return {
    find,
    put: (key, { count, endsAt }) => void windows.set(key, { count, endsAt }),
    discount(key) {
      const window = find(key);
      if (window !== undefined) window.count = Math.max(0, window.count - 1);
    },
    count(key, seconds) {
      let window = find(key);
      if (window === undefined) {
        window = { count: 0, endsAt: now() + seconds * 1_000 };
        windows.set(key, window);
      }
      window.count += 1;
      return window;
    },
  };
}

/**
 * Sets the headers of a request throttle. Over the limit it returns the seconds to wait, which stand in the headers
 * too.
 */
export function setThrottleHeaders(
  response: Response,
  { name, limit, window, now }: { name: string; limit: Limit; window: Window; now: number },
): number | undefined {
  const reset = Math.ceil(window.endsAt / 1_000);
  response.set({
    'RateLimit-Name': name,
    'RateLimit-Limit': String(Math.ceil((limit.requests * 60) / limit.seconds)),
    'RateLimit-Observed': String(window.count),
    'RateLimit-Remaining': String(Math.max(0, limit.requests - window.count)),
    'RateLimit-Reset': String(reset),
  });
  if (window.count <= limit.requests) return undefined;
  const wait = Math.max(1, Math.ceil((window.endsAt - now) / 1_000));
  response.set({ 'RateLimit-ResetTime': new Date(reset * 1_000).toUTCString(), 'Retry-After': String(wait) });
  return wait;
}

/** Limits in fixed windows. `scale` multiplies every application limit; one of 0 requests is off. */
export function rateLimits(
  throttles: Throttles,
  scale: number,
  { count }: Windows,
  now: () => number = Date.now,
): RateLimits {
  const caller = (request: Request, actor: Actor): string =>
    actor.userId > 0 ? `user:${actor.userId}` : `ip:${addressKey(request.ip)}`;
  const counted = new WeakSet<Request>();
  let kept: LimitsInForce = { throttles, application: applicationLimits };
  return {
    inForce: () => kept,
    keep(limits) {
      kept = limits;
    },
    throttle(request, response, actor) {
      if (counted.has(request)) return;
      counted.add(request);
      const signedIn = actor.userId > 0;
      const limit = signedIn ? kept.throttles.authenticated : kept.throttles.unauthenticated;
      if (limit === undefined) return;
      const name = `throttle_${signedIn ? 'authenticated' : 'unauthenticated'}_api`;
      const window = count(`${name}:${caller(request, actor)}`, limit.seconds);
      const wait = setThrottleHeaders(response, { name, limit, window, now: now() });
      if (wait !== undefined) throw new Throttled(wait);
    },
    apply(name, request, actor) {
      const limit: Limit | undefined = kept.application[name as keyof typeof applicationLimits];
      if (limit === undefined) throw new Error(`no limit named ${name}`);
      const requests = (actor.userId > 0 ? limit.requests : (limit.anonymousRequests ?? limit.requests)) * scale;
      const key = `${limit.countedWith ?? name}:${caller(request, actor)}`;
      if (requests === 0 || count(key, limit.seconds).count <= requests) return;
      throw tooManyRequests(limit.seconds, limit.refusalKey);
    },
  };
}

/** Over a request throttle: answered as plain text, unlike every other failure. */
export class Throttled extends Error {
  constructor(readonly seconds: number) {
    super('Retry later');
  }
}
