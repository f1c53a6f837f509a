import { unavailable } from '@switchyard/errors';
import type { AccessServiceService } from '@switchyard/protos/groups_admin/v1/access';
import {
  type AdmissionQueue,
  admissionQueue,
  type CallOptions,
  overloaded,
  type Release,
  type RpcClient,
  type ServiceDefinition,
} from '@switchyard/rpc';
import { counter, gauge, type Reading } from '@switchyard/telemetry';
import { type BoundClient, bind, ownerOf, type Peers } from './clients';
import type { Route } from './route';

/** Requests that one service is given at a time by this process. Reads and writes have places of their own. */
export interface AdmissionLimits {
  /** Default 32. */
  readonly reads?: number | undefined;
  /**
   * Default 12: fewer than a service has connections to its database, since a write holds one for as long as it holds
   * its locks.
   */
  readonly writes?: number | undefined;
}

/** The authority on who may see what. */
type AccessClient = RpcClient<typeof AccessServiceService>;

/** One request on its way through its handler. */
export interface Visit {
  /**
   * A client of the request. The first call waits for a place at its service, which is kept until the request leaves.
   */
  client<T extends ServiceDefinition>(definition: T): BoundClient<T>;
  /** Services that the request has called. */
  readonly called: ReadonlySet<string>;
  /** Gives the place back. */
  leave(): void;
}

/**
 * Bounds the requests that each service works on, so that one that gets more than it can do goes on doing as much as it
 * can, and costs the others nothing. A request waits before its first call, and no longer: what has begun is never
 * refused because too many wait.
 */
export interface Admission {
  /**
   * Refuses a request for whose service there is neither a place nor a seat, before its body is read. @throws AppError
   * unavailable
   */
  knock(route: Route): void;
  visit(route: Route, options: CallOptions): Visit;
  /** The service that resolves callers and what they may see: the calls of one gateway at a time are bounded as well. */
  access(client: AccessClient): AccessClient;
}

/** The service that resolves who may see what; writes of other services do not make a cached answer stale. */
export const ownerOfAccess = 'groups-admin';

/** What requests wait for: see `Route.turns` for `turn`. */
type Kind = 'read' | 'write' | 'access' | 'turn';

/** Requests that wait for one service, of one kind, at the most; one user, or for turns one project, may have half. */
const seats = { read: 300, access: 300, write: 300, turn: 1_200 };

/**
 * Requests of one project that take turns, and of all projects, that a service is given at a time. What they wait for
 * it does for as many of them together as it has.
 */
const turns = { ofProject: 8, ofAll: 24 };

/**
 * Milliseconds a burst waits. A write that is refused has to be made again; a read soon is of no use to the one who
 * waits. Those that take turns come by the hundred: they wait a little less than proxies do.
 */
const timeoutMs = { read: 5_000, access: 5_000, write: 20_000, turn: 50_000 };

/**
 * Milliseconds within which a service answers a write that has got its place. It does not begin to write in the second
 * half of them.
 */
const writeWithinMs = 60_000;

const isRead = ({ method }: Route): boolean => method === 'get';

/** Who has a place for each request, and half of the seats at the most: a user; where requests take turns, a project. */
const ownerOfTurn = ({ turns: of }: Route, { actor, access }: CallOptions): number =>
  (of === undefined ? actor?.userId : access?.id) ?? 0;

type Queue = AdmissionQueue & { readonly labels: { readonly service: string; readonly kind: string } };
const queues = new Set<Queue>();
const readings = (of: (queue: Queue) => number) => async (): Promise<readonly Reading[]> =>
  [...queues].map((queue) => ({ labels: queue.labels, value: of(queue) }));
const labels = ['service', 'kind'];
gauge(
  { name: 'switchyard_requests_running', help: 'Requests that a service works on for this gateway', labels },
  readings((queue) => queue.running()),
);
gauge(
  { name: 'switchyard_requests_waiting', help: 'Requests that wait for a place at a service', labels },
  readings((queue) => queue.waiting()),
);
const countRefused = counter({
  name: 'switchyard_requests_refused_total',
  help: 'Requests refused before anything was done, for want of room at their service',
});

/** Makes the queues of the services that `peers` reaches. */
export function admission(peers: Pick<Peers, 'client'>, { reads = 32, writes = 12 }: AdmissionLimits = {}): Admission {
  const known = new Map<string, Queue>();
  // Learned from what its handler calls first: a route cannot forget to declare it.
  const ownerOfRoute = new WeakMap<Route, string>();

  const places = { read: reads, access: reads, write: writes, turn: turns.ofAll };

  function queueFor(service: string, kind: Kind): Queue {
    const key = `${service} ${kind}`;
    let found = known.get(key);
    if (found === undefined) {
      const slotsOfOwner = kind === 'turn' ? turns.ofProject : undefined;
      found = {
        ...admissionQueue({
          slots: places[kind],
          slotsOfOwner,
          maxWaiting: seats[kind],
          timeoutMs: timeoutMs[kind],
        }),
        labels: { service, kind },
      };
      known.set(key, found);
      queues.add(found);
    }
    return found;
  }
  const queueOfRoute = (route: Route, service: string): Queue =>
    queueFor(service, isRead(route) ? 'read' : route.turns === undefined ? 'write' : 'turn');

  function refused(error: unknown): never {
    countRefused();
    throw error;
  }

  return {
    knock(route) {
      const owner = ownerOfRoute.get(route);
      if (owner !== undefined && queueOfRoute(route, owner).isFull()) refused(overloaded());
    },
    access: (client) => ({
      ...client,
      resolve: async (question, { signal, ...options }) => {
        const leave = await queueFor(ownerOfAccess, 'access').enter({ owner: question.token, signal }).catch(refused);
        // A question that has been asked is answered, although its client has gone: otherwise guesses at tokens could
        // be hidden.
        return client.resolve(question, options).finally(leave);
      },
    }),
    visit(route, options) {
      const called = new Set<string>();
      let place: Promise<Release> | undefined;
      let left = false;
      const timed = isRead(route) ? options : { ...options, timeoutMs: writeWithinMs };
      async function enter(owner: string): Promise<Release> {
        // Of several calls side by side one has failed: a place that is taken now would be given back by none.
        if (place === undefined && left) throw unavailable(new Error('the request has been answered'));
        if (place === undefined) {
          ownerOfRoute.set(route, owner);
          place = queueOfRoute(route, owner)
            .enter({ owner: String(ownerOfTurn(route, options)), signal: options.signal })
            .catch(refused);
        }
        return place;
      }
      return {
        called,
        client: <T extends ServiceDefinition>(definition: T) => {
          const owner = ownerOf(definition);
          const client = bind(peers.client(definition), timed);
          return new Proxy(client as object, {
            get: (target, name) => {
              const method = (target as Record<PropertyKey, unknown>)[name];
              if (typeof method !== 'function') return method;
              return async (request: unknown) => {
                await enter(owner);
                called.add(owner);
                return method(request);
              };
            },
          }) as BoundClient<T>;
        },
        leave: () => {
          left = true;
          place?.then(
            (leave) => leave(),
            () => undefined,
          );
        },
      };
    },
  };
}
