import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ServiceDefinition } from '@grpc/grpc-js';
import {
  type ResolveAllRequest,
  type ResolveRequest,
  type ResolveResponse,
  ResolveResponse_SudoRefusal,
  ResolveResponse_TokenRefusal,
} from '@switchyard/protos/groups_admin/v1/access';
import { type Access, Access_Kind, type Actor } from '@switchyard/protos/rpc/v1/identity';
import { anonymous, type CallOptions } from '@switchyard/rpc';
import { compose, type Gateway } from '../../src/compose';
import type { Config } from '../../src/config';
import type { Peers } from '../../src/http/clients';
import type { GiveWay } from '../../src/http/give-way';
import type { Route } from '../../src/http/route';
import { replyValidator } from './reply-validator';

/**
 * Fakes of RPCs by `Service/Method`, as in the last two parts of the gRPC path: `AccessService/Resolve`. One that streams
 * returns what is read.
 */
export type Fakes = Record<string, (request: never, options: CallOptions) => Promise<unknown> | AsyncIterable<unknown>>;

/** An RPC the gateway made. */
export interface RecordedCall {
  readonly rpc: string;
  readonly request: unknown;
  readonly options: CallOptions;
}

/** A gateway over fake services. */
export interface TestGateway {
  readonly url: string;
  readonly calls: RecordedCall[];
  /** Sends a request below `/api/v4`; validates a JSON reply against the route's component. */
  send(
    method: string,
    path: string,
    options?: { token?: string; headers?: Record<string, string>; body?: unknown; raw?: string | Buffer },
  ): Promise<Reply>;
  close(graceMs?: number): Promise<void>;
}

/** What came back. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
  readonly body: any;
}

/** A signed-in actor. */
export const actor = (given: Partial<Actor> = {}): Actor => ({
  ...anonymous,
  userId: 7,
  username: 'ada',
  scopes: ['api'],
  tokenId: 70,
  ...given,
});

/** Access to project 1 `group/project`. */
export const projectAccess = (given: Partial<Access> = {}): Access => ({
  kind: Access_Kind.KIND_PROJECT,
  id: 1,
  fullPath: 'group/project',
  visibility: 'private',
  level: 30,
  tier: 'ultimate',
  archived: false,
  ...given,
});

/** An answer of AccessService/Resolve. */
export const resolved = (given: Partial<ResolveResponse> = {}): ResolveResponse => ({
  tokenRefusal: ResolveResponse_TokenRefusal.TOKEN_REFUSAL_UNSPECIFIED,
  sudoRefusal: ResolveResponse_SudoRefusal.SUDO_REFUSAL_UNSPECIFIED,
  actor: actor(),
  access: undefined,
  movedTo: 0,
  directorySequence: 0,
  validUntil: 0,
  ...given,
});

let tokens = 0;

/** A token that no request had before: the gateway remembers for a while what it learned of one. */
export function newToken(): { readonly token: string } {
  tokens += 1;
  return { token: `token number ${tokens}` };
}

/** Every gateway asks these all the time; they belong to no request. */
const following = 'SettingsService/FollowSettings';
const counting = 'RequestCountService/CountRequests';

/** The HTTP port of a service that reads what it is sent and answers `{}`. */
async function answeringService(): Promise<{ readonly url: string; close(): Promise<void> }> {
  const service = createServer((request, response) => void request.resume().once('end', () => response.end('{}')));
  await new Promise<void>((settle) => service.listen(0, '127.0.0.1', settle));
  return {
    url: `http://127.0.0.1:${(service.address() as AddressInfo).port}`,
    async close() {
      service.closeAllConnections();
      await new Promise((settle) => service.close(settle));
    },
  };
}

/** Starts a gateway whose services are `fakes`; without an `AccessService/Resolve` of their own, `access` answers it. */
export async function startTestGateway(options: {
  fakes?: Fakes;
  access?: (request: ResolveRequest) => ResolveResponse;
  routes?: readonly Route[];
  config?: Partial<Config>;
  way?: GiveWay;
  /** Finds out that a service hangs. */
  reach?: Peers['reach'];
  /**
   * Answers every RPC that has no fake. What streams over HTTP is answered as well, with `{}`: a service that is away would be tried
   * again for two seconds.
   */
  otherwise?: () => Promise<unknown>;
}): Promise<TestGateway> {
  const calls: RecordedCall[] = [];
  const fakes: Fakes = {
    'AccessService/Resolve': async (request: ResolveRequest) => (options.access ?? (() => resolved()))(request),
    ...options.fakes,
  } as Fakes;
  // What is asked again is asked of the same authority.
  fakes['AccessService/ResolveAll'] ??= (async ({ questions }: ResolveAllRequest, callOptions: CallOptions) => ({
    answers: await Promise.all(questions.map((one) => fakes['AccessService/Resolve']?.(one as never, callOptions))),
  })) as Fakes[string];
  // Settings do not change unless a test says so.
  fakes[following] ??= ((_: never, { signal }: CallOptions) =>
    new Promise((answer) => {
      signal?.addEventListener('abort', () => answer({ version: 0, limits: undefined }), { once: true });
    })) as Fakes[string];
  // Other gateways count nothing.
  fakes[counting] ??= (async () => ({ sums: [] })) as Fakes[string];
  const peers: Peers = {
    client: (definition: ServiceDefinition) =>
      Object.fromEntries(
        Object.entries(definition).map(([name, method]) => {
          const rpc = method.path.split('/').slice(-2).join('/').replace(/^.*\./, '');
          if (method.responseStream) {
            return [
              name,
              async function* (request: unknown, callOptions: CallOptions) {
                calls.push({ rpc, request, options: callOptions });
                const fake = fakes[rpc];
                if (fake !== undefined) yield* fake(request as never, callOptions) as AsyncIterable<unknown>;
                else if (options.otherwise !== undefined) yield await options.otherwise();
              },
            ];
          }
          return [
            name,
            async (request: unknown, callOptions: CallOptions) => {
              if (rpc !== following && rpc !== counting) calls.push({ rpc, request, options: callOptions });
              const fake = fakes[rpc] ?? options.otherwise;
              if (fake === undefined) throw new Error(`no fake for ${rpc}`);
              return fake(request as never, callOptions);
            },
          ];
        }),
      ) as never,
    reach: options.reach ?? (async () => {}),
    close: () => {},
  };
  const service = options.otherwise === undefined ? undefined : await answeringService();
  const streams = service?.url ?? 'http://127.0.0.1:9';
  const signer = { name: 'gateway', key: generateKeyPairSync('ed25519').privateKey };
  const config = {
    HOST: '127.0.0.1',
    PORT: 0,
    HTTP_HOST: '127.0.0.1',
    HTTP_PORT: 0,
    SWITCHYARD_TRUSTED_PROXIES: 'loopback',
    SWITCHYARD_EXTERNAL_URL: 'https://forge.example',
    SWITCHYARD_TIER: 'ultimate',
    MERGE_REQUESTS_HTTP_URL: streams,
    ALERTS_HTTP_URL: streams,
    PACKAGES_HTTP_URL: streams,
    IMPORTS_EXPORTS_HTTP_URL: streams,
    SWITCHYARD_APPLICATION_LIMITS: 1,
    ...options.config,
  } as Config;
  const gateway: Gateway = await compose(config, signer, {
    peers,
    ...(options.routes === undefined ? {} : { routes: options.routes }),
    ...(options.way === undefined ? {} : { way: options.way }),
  });
  const url = `http://127.0.0.1:${gateway.port}`;
  const validate = options.routes === undefined ? replyValidator() : undefined;
  return {
    url,
    calls,
    async send(method, path, { token, headers = {}, body, raw } = {}) {
      const response = await fetch(`${url}/api/v4${path}`, {
        method,
        redirect: 'manual',
        headers: {
          ...(token === undefined ? {} : { 'PRIVATE-TOKEN': token }),
          ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(raw !== undefined ? { body: raw as never } : body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
      const parsed: unknown = isJson && text !== '' ? JSON.parse(text) : undefined;
      const problems = validate?.(method, path, response.status, parsed) ?? [];
      if (problems.length > 0)
        throw new Error(`${method} ${path} ${response.status} breaks its contract: ${problems.join('; ')}`);
      return { status: response.status, headers: response.headers, text, body: parsed };
    },
    async close(graceMs = 100) {
      await gateway.close(graceMs);
      await service?.close();
    },
  };
}
