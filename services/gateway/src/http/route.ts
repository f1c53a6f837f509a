import type { Access, Actor } from '@switchyard/protos/rpc/v1/identity';
import type { PageRequest, Representation, RepresentationPage } from '@switchyard/protos/rpc/v1/representation';
import type { ServiceDefinition } from '@switchyard/rpc';
import type { z } from 'zod';
import type { GroupAbility, ProjectAbility } from './abilities';
import type { Relation } from './check-parameters';
import type { BoundClient } from './clients';
import type { EachEvent } from './event-streams/event-streams';
import type { LimitsInForce } from './rate-limits';
import type { Section } from './reference/sections';

/**
 * Who may call a route. `public`: any caller, with or without a token. `user`: any valid token. `admin`:
 * administrators. On a project or group the row of the ability decides; `:id` of the path names the target. `located`:
 * the same on a project that neither path nor parameters name (`Route.locate`), or with `orGroup` on a group.
 */
export type RouteAccess =
  | 'public'
  | 'user'
  | 'admin'
  | { project: ProjectAbility }
  | { group: GroupAbility }
  | { located: ProjectAbility; orGroup?: GroupAbility };

/** How a list is paged and sorted. */
export interface ListRule {
  /** Public order columns; the first is the default. Empty: the list has one fixed order. */
  readonly orderBy?: readonly string[];
  /** Default direction. */
  readonly sort?: 'asc' | 'desc';
  /** Given on lists without offset paging (G-4.17-1): the most rows of a page, above which `per_page` is refused. */
  readonly keysetUpTo?: number;
  /** Parameters that the next link of keyset paging carries, where they are not `cursor` (G-1-32). */
  readonly keysetParameters?: (cursor: string, descending: boolean) => Record<string, string>;
}

/** Streams the request to a service's internal HTTP port. */
export interface Forward {
  readonly forward: { readonly to: string; readonly path: string };
}

/** Bytes that are no JSON, such as the text of a file. */
export interface Raw {
  readonly raw: Uint8Array;
  readonly contentType: string;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

type Call = HandlerContext<Shape, Shape, Access>['call'];

/** A stream of server-sent events, on routes that declare `events`. */
export interface Events {
  readonly follow:
    | {
        /** What is read: all who read it share one call, so the reply depends on nothing else. */
        readonly subject: string;
        /** Begins the call; each message becomes the data of one event. A reader that is slow misses some. */
        open(call: Call): AsyncIterable<Representation>;
      }
    | {
        /** Begins the call of this reader, who gets each event and misses none. */
        each(call: Call): AsyncIterable<EachEvent>;
      };
}

/** What a handler may answer. */
export type Answer = Representation | RepresentationPage | Forward | Raw | Events;

type Shape = z.ZodRawShape;
type ValuesOf<T extends Shape> = z.infer<z.ZodObject<T>>;

/** What a handler is given. */
export interface HandlerContext<Params extends Shape, Path extends Shape, Target> {
  /** Typed query and body parameters. */
  readonly params: ValuesOf<Params>;
  /** Typed path parameters beside `:id`. */
  readonly path: ValuesOf<Path> & Record<string, never>;
  /** The resolved project or group. */
  readonly access: Target;
  /** The caller's user; user_id 0 for an anonymous caller. */
  readonly actor: Actor;
  /** The requested page; on lists. */
  readonly page: PageRequest;
  /** Clients of the services, bound to this request. */
  readonly call: <T extends ServiceDefinition>(definition: T) => BoundClient<T>;
  /**
   * Date in `If-Unmodified-Since`; undefined without the header, or when it is no date. Deletions of records check it.
   */
  readonly unmodifiedSince: Date | undefined;
  /** `Last-Event-ID` of a reader of events who comes again; undefined without it. */
  readonly lastEventId: string | undefined;
  /** Limits that this gateway keeps now, for the settings that show them. */
  readonly limits: LimitsInForce;
}

type TargetOf<A extends RouteAccess> = A extends { project: string } | { group: string } | { located: string }
  ? Access
  : Access | undefined;

/** Where the owner found what a request names: in a project, or on routes with `orGroup` in a group. */
export type Located =
  | {
      readonly projectId: number;
      /** What a caller needs beside `locate.read` in order to read it. */
      readonly alsoRead?: ProjectAbility | undefined;
    }
  | { readonly groupId: number };

/** What the reference states of an endpoint beyond what follows from its declaration. */
export interface RouteDocs {
  /** What it does, where the summary is not enough. Markdown. */
  readonly description?: string;
  /** Statuses of failures beside those that every endpoint of its kind has. */
  readonly fails?: readonly number[];
  /** Media types of a reply that is no JSON. */
  readonly contentTypes?: readonly string[];
  /**
   * Schemas by the names of their components, of which the body fits at least one: where what it needs follows from the
   * path, and one schema of all parameters cannot say it.
   */
  readonly bodies?: Readonly<Record<string, object>>;
  /** Parameters of the example, over those that the reference would choose. */
  readonly example?: Readonly<Record<string, unknown>>;
}

/** One endpoint: its path, access, parameters and replies. Routing, checks and documentation follow from it. */
export interface Route<A extends RouteAccess = RouteAccess, Params extends Shape = Shape, Path extends Shape = Shape> {
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete';
  /** Path below `/api/v4`: `:name` stands for one segment, `*name` for one or more. */
  readonly path: string;
  /** A second path with the same parameters. The reference shows the first alone. */
  readonly otherPath?: string;
  /** Where the reference shows it. */
  readonly section: Section;
  /** One line for the reference. */
  readonly summary: string;
  readonly docs?: RouteDocs;
  readonly access: A;
  /** On a project or group: refuses callers who are no administrators with 403, before the target is looked up. */
  readonly administrators?: true;
  /** Finds the project or group of what the request names; on routes with `located`, which all have it. */
  readonly locate?: {
    /**
     * What a 404 calls what the request names: the reply where it is not there, and where the caller may not read it.
     * undefined for none: `404 Not found`; empty: `404 Not Found`.
     */
    readonly thing: string | undefined;
    /** What a 403 says; `403 Forbidden` without it. */
    readonly refusal?: string;
    /** What a caller needs in order to read it in a project; in a group, to see that. */
    readonly read: ProjectAbility;
    /** Asks its owner for the project or group. Fails with `not_found`. */
    place(context: Pick<HandlerContext<Params, Path, undefined>, 'params' | 'path' | 'call'>): Promise<Located>;
  };
  /** Refuses anonymous callers although it only reads (G-4.6). */
  readonly needsToken?: boolean;
  /** Kinds of token that the route takes in addition to those of users: job tokens (G-5-13), deploy tokens (G-5-1). */
  readonly tokens?: readonly ('job' | 'deploy')[];
  /** Token scopes that do beside `api` (and `read_api` on reads); `any` for every scope (G-5-5). */
  readonly scopes?: readonly string[] | 'any';
  /** The path names the resource being created. A closed feature then answers 403, not 404. */
  readonly createsNamed?: boolean;
  /** Owners and administrators reach the target while it is marked for deletion: they may restore it (G-4.15-7). */
  readonly includesMarked?: boolean;
  /**
   * Owners of a top-level group reach it from every address: its `ip_restriction_ranges` could otherwise lock them out
   * for good.
   */
  readonly anyAddress?: boolean;
  /**
   * Abilities on the project that are required beside that of `access` when the parameter is sent, a flag when it is on.
   */
  readonly abilityWith?: Readonly<Record<string, ProjectAbility>>;
  /**
   * Parameters that name a group, by id or path, in which something is put: its `ip_restriction_ranges` hold for the
   * request as well. What else is required there the service decides.
   */
  readonly groupsIn?: readonly string[];
  /** Licence tier below which the answer is 403. */
  readonly tier?: 'premium' | 'ultimate';
  readonly path_params?: Path;
  readonly params?: Params;
  /** Rules over several parameters. */
  readonly relations?: readonly Relation[];
  readonly list?: ListRule;
  /**
   * Name of the file in a multipart body that streams on to a service. The gateway then reads the query alone, so
   * `params` are parameters of the query; the service reads the form. The handler forwards.
   */
  readonly upload?: string;
  /**
   * The body is a file that streams on to a service, whatever its type: `params` are parameters of the query, and a token
   * comes by header. The handler forwards. Deletions that are forwarded have it as well.
   */
  readonly streams?: true;
  /**
   * Callers without a token are asked for Basic credentials (401) where they do not see the target: clients such as Maven
   * and pip send theirs only then. It says nothing of whether the target is there.
   */
  readonly challenges?: true;
  /** Refusals have their `message` as `error` too, which is all that npm shows of a reply. */
  readonly errorText?: true;
  /**
   * The reply is a stream of server-sent events with this name; `returns` names the component of their data. It lasts as
   * long as its reader, and is timed until it begins.
   */
  readonly events?: string;
  /** Milliseconds after which a caller should ask again whose answer is 202: the header `Poll-Interval` (G-4.14-3). */
  readonly pollInterval?: number;
  /** Largest body in bytes; 5 MiB by default. */
  readonly bodyLimit?: number;
  /**
   * Requests of one project wait for each other, in a queue apart from other writes: for what is asked for by the
   * hundred and done one after another anyway.
   */
  readonly turns?: 'project';
  /** Name of an application limit of http/rate-limits.ts. */
  readonly limit?: string;
  /** A limit that counts only requests which send a parameter, such as a search (G-4.2-9). */
  readonly limitWith?: { readonly parameter: string; readonly limit: string };
  /**
   * Component of the reply by status: a name, [name] for an array, undefined for no body. The first is the default
   * status.
   */
  readonly returns: Readonly<Record<number, string | readonly [string] | undefined>>;
  handle(context: HandlerContext<Params, Path, TargetOf<A>>): Promise<Answer>;
}

/** Whether the body of an endpoint streams on to a service, and is not read here. */
export const isStreamed = ({ upload, streams }: Pick<Route, 'upload' | 'streams'>): boolean =>
  upload !== undefined || streams === true;

/** Declares an endpoint. */
export const defineRoute = <
  A extends RouteAccess,
  Params extends Shape = Record<never, never>,
  Path extends Shape = Record<never, never>,
>(
  route: Route<A, Params, Path>,
): Route => route as unknown as Route;

/** A place below which endpoints lie, and another one where they lie as well. */
export interface RouteHome {
  readonly path: string;
  readonly otherPath?: string;
}

/** Gives a route that lies below a home its other path; a home without one changes nothing. */
export const alsoBelow =
  ({ path, otherPath }: RouteHome) =>
  (route: Route): Route =>
    otherPath === undefined ? route : { ...route, otherPath: `${otherPath}${route.path.slice(path.length)}` };
