import type { ServiceDefinition } from '@switchyard/rpc';
import { type CallOptions, connect, type Peer, type RpcClient, type Signer } from '@switchyard/rpc';

/** A client whose calls need no options: they are bound to one public request. */
export type BoundClient<T> = {
  [K in keyof RpcClient<T>]: RpcClient<T>[K] extends (request: infer Q, options: CallOptions) => infer R
    ? (request: Q) => R
    : never;
};

/** The domain services by name. */
export interface Peers {
  /** A client of the service that owns the definition's proto package. */
  client<T extends ServiceDefinition>(definition: T): RpcClient<T>;
  /** See `Peer.reach`; a service without an address counts as reached. */
  reach(service: string): Promise<void>;
  close(): void;
}

/** Name of the service that owns a definition: `/switchyard.merge_requests.v1.X/Y` → `merge-requests`. */
export function ownerOf(definition: ServiceDefinition): string {
  const path = Object.values(definition)[0]?.path ?? '';
  return (path.split('.')[1] ?? '').replaceAll('_', '-');
}

/** Opens a channel to each service; clients are made once a definition. */
export function connectPeers(addresses: Readonly<Record<string, string>>, signer: Signer): Peers {
  const peers = new Map<string, Peer>(
    Object.entries(addresses).map(([name, address]) => [name, connect(address, signer)]),
  );
  const clients = new Map<ServiceDefinition, unknown>();
  return {
    client: <T extends ServiceDefinition>(definition: T): RpcClient<T> => {
      let client = clients.get(definition);
      if (client === undefined) {
        const owner = ownerOf(definition);
        const peer = peers.get(owner);
        if (peer === undefined) throw new Error(`no address for service ${owner}`);
        client = peer.client(definition);
        clients.set(definition, client);
      }
      return client as RpcClient<T>;
    },
    reach: async (service) => peers.get(service)?.reach(),
    close: () => {
      for (const peer of peers.values()) peer.close();
    },
  };
}

/** Binds a client to one request's options. */
export const bind = <T extends ServiceDefinition>(client: RpcClient<T>, options: CallOptions): BoundClient<T> =>
  new Proxy(client as object, {
    get: (target, name) => {
      const method = (target as Record<PropertyKey, unknown>)[name];
      return typeof method === 'function' ? (request: unknown) => method(request, options) : method;
    },
  }) as BoundClient<T>;
