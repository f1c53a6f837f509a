import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import type { Request, Response } from 'express';
import { bodyMemory } from './body-memory';
import { addressKey } from './client-address';
import { type BodyRules, defaultBodyLimit, type RawParameters, readBody } from './read-parameters';
import type { MinimumRate } from './receive-body';

/** What a route declares of its bodies. */
export interface RouteRules extends Pick<BodyRules, 'asWritten' | 'files'> {
  /** Most bytes; 5 MiB unless given. */
  readonly limit: number | undefined;
}

/** Reads the bodies of API requests, in memory that is bounded for the instance and for each caller. */
export interface RouteBodies {
  /** Of a caller who has shown no token: one may be in it (G-5-1). */
  ofAnonymousCaller(request: Request, response: Response, rules: RouteRules): Promise<RawParameters>;
  /** Of a caller who may send it. */
  ofUser(request: Request, response: Response, actor: Actor, rules: RouteRules): Promise<RawParameters>;
}

/** A body must come at 100 kB/s after half a minute; */
const userRate: MinimumRate = { graceMs: 30_000, bytesPerMs: 100 };

/** that of an anonymous caller, a form with a token in it, at 1 MB/s after ten seconds. */
const anonymousRate: MinimumRate = { graceMs: 10_000, bytesPerMs: 1_000 };

/** Bytes that the bodies of all users together may hold beside one of the largest size, */
const extraBytes = 64 << 20;

/** those of all anonymous callers together, and of one of their addresses. */
const anonymousBytes = { all: 16 << 20, address: 8 << 20 } as const;

/** How long bytes wait for free memory, milliseconds: most bodies are received within it. */
const waitMs = 3_000;

/** @param largest most bytes that any route takes; a user's bodies may hold as much together */
export function routeBodies(largest: number): RouteBodies {
  const share = Math.max(largest, defaultBodyLimit);
  const users = bodyMemory(share + extraBytes, share, waitMs);
  const anonymous = bodyMemory(anonymousBytes.all, anonymousBytes.address, waitMs);
  return {
    ofAnonymousCaller: (request, response, { limit = defaultBodyLimit, ...rules }) =>
      readBody(request, response, {
        ...rules,
        limit: Math.min(limit, defaultBodyLimit),
        minimumRate: anonymousRate,
        hold: anonymous.holder(response, addressKey(request.ip)),
      }),
    ofUser: (request, response, actor, { limit = defaultBodyLimit, ...rules }) =>
      readBody(request, response, {
        ...rules,
        limit,
        minimumRate: userRate,
        hold: users.holder(response, String(actor.userId)),
      }),
  };
}
