import type { Actor } from '@switchyard/protos/rpc/v1/identity';
import type { Request, Response } from 'express';
import { bodyRoom } from './body-room';
import { addressKey } from './client-address';
import { type BodyRules, defaultBodyLimit, type RawParameters, readBody } from './read-parameters';
import type { Pace } from './receive-body';

/** What a route says of its bodies. */
export interface RouteRules extends Pick<BodyRules, 'asWritten'> {
  /** Most bytes; 5 MiB unless given. */
  readonly limit: number | undefined;
}

/** Reads the bodies of API requests, in rooms that are bounded for the instance and for each caller. */
export interface RouteBodies {
  /** Of a caller who has shown no token: one may be in it (G-5-1). */
  ofStranger(request: Request, response: Response, rules: RouteRules): Promise<RawParameters>;
  /** Of a caller who may send it. */
  ofUser(request: Request, response: Response, actor: Actor, rules: RouteRules): Promise<RawParameters>;
}

/** A body must come at 100 kB/s after half a minute; */
const paceOfUsers: Pace = { graceMs: 30_000, bytesPerMs: 100 };

/** that of a stranger, a form with a token in it, at 1 MB/s after ten seconds. */
const paceOfStrangers: Pace = { graceMs: 10_000, bytesPerMs: 1_000 };

/** Bytes that the bodies of all users together may hold beside one of the largest size, */
const roomBeside = 64 << 20;

/** those of all strangers together, and of one of their addresses. */
const roomOfStrangers = { all: 16 << 20, address: 8 << 20 } as const;

/** How long bytes wait for room, milliseconds: most bodies are received within it. */
const waitMs = 3_000;

/** @param largest most bytes that any route takes; a user's bodies may hold as much together */
export function routeBodies(largest: number): RouteBodies {
  const share = Math.max(largest, defaultBodyLimit);
  const users = bodyRoom(share + roomBeside, share, waitMs);
  const strangers = bodyRoom(roomOfStrangers.all, roomOfStrangers.address, waitMs);
  return {
    ofStranger: (request, response, { limit = defaultBodyLimit, asWritten }) =>
      readBody(request, response, {
        limit: Math.min(limit, defaultBodyLimit),
        asWritten,
        pace: paceOfStrangers,
        hold: strangers.holder(response, addressKey(request.ip)),
      }),
    ofUser: (request, response, actor, { limit = defaultBodyLimit, asWritten }) =>
      readBody(request, response, {
        limit,
        asWritten,
        pace: paceOfUsers,
        hold: users.holder(response, String(actor.userId)),
      }),
  };
}
