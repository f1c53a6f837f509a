import { generateKeyPairSync } from 'node:crypto';
import { ResolveRequest } from '@switchyard/protos/groups_admin/v1/access';
import { Representation } from '@switchyard/protos/rpc/v1/representation';
import { type CallContext, connect, entity, implement, type Signer } from '@switchyard/rpc';

const keys = new Map(['gateway', 'packages'].map((name) => [name, generateKeyPairSync('ed25519')]));

/** Public keys of the processes that may call. */
export const trusted = new Map([...keys].map(([name, { publicKey }]) => [name, publicKey]));

/** What signs the calls of a process. */
export const signerOf = (name: string): Signer => ({ name, key: keys.get(name)?.privateKey as never });

const definition = {
  work: {
    path: '/switchyard.test.v1.ThingService/Work',
    requestStream: false as const,
    responseStream: false as const,
    requestSerialize: (value: ResolveRequest) => Buffer.from(ResolveRequest.encode(value).finish()),
    requestDeserialize: (bytes: Buffer) => ResolveRequest.decode(bytes),
    responseSerialize: (value: Representation) => Buffer.from(Representation.encode(value).finish()),
    responseDeserialize: (bytes: Buffer) => Representation.decode(bytes),
  },
};

export const request = (token: string) => ResolveRequest.fromPartial({ token });

/** A service of one RPC that does `work` with the token it is given. */
export const workService = (work: (token: string, context: CallContext) => Promise<unknown>) =>
  implement(
    definition,
    {
      work: async ({ token }, context) => {
        await work(token, context);
        return entity({});
      },
    },
    { work: { callers: ['gateway', 'packages'] } },
  );

/** A channel to it, signed by the process `name`, and its client. */
export function workPeer(address: string, name = 'gateway', resolveEveryMs?: number) {
  const peer = connect(address, signerOf(name), { resolveEveryMs });
  return { close: () => peer.close(), client: peer.client(definition) };
}
