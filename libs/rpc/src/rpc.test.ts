import { generateKeyPairSync } from 'node:crypto';
import { getEventListeners, once } from 'node:events';
import { createServer as createHttp2Server } from 'node:http2';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import { AppError, conflict, invalid, invalidParams, isAppError, unavailable } from '@switchyard/errors';
import {
  type ResolveRequest,
  ResolveRequest as ResolveRequestMessage,
} from '@switchyard/protos/groups_admin/v1/access';
import { Claims, SignedClaims } from '@switchyard/protos/rpc/v1/identity';
import { Representation, RepresentationPage } from '@switchyard/protos/rpc/v1/representation';
import { logger } from '@switchyard/telemetry';
import { eventually, tcpGate } from '@switchyard/testkit';
import { signClaims, verifyClaims } from './identity';
import {
  anonymous,
  type CallContext,
  connect,
  entity,
  implement,
  page,
  type RunningServer,
  type ServiceImplementation,
  type Signer,
  startServer,
} from './index';
import { UsedClaims } from './used-claims';

const pair = (
  name: string,
): { signer: Signer; trusted: [string, ReturnType<typeof generateKeyPairSync>['publicKey']] } => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { signer: { name, key: privateKey }, trusted: [name, publicKey] };
};

const gateway = pair('gateway');
const packages = pair('packages');
const unknownSigner = pair('gateway');
const trusted = new Map([gateway.trusted, packages.trusted]) as never;

const method = (name: string, page: boolean) => ({
  path: `/switchyard.test.v1.ThingService/${name}`,
  requestStream: false as const,
  responseStream: false as const,
  requestSerialize: (value: ResolveRequest) => Buffer.from(ResolveRequestMessage.encode(value).finish()),
  requestDeserialize: (bytes: Buffer) => ResolveRequestMessage.decode(bytes),
  responseSerialize: (value: Representation) =>
    Buffer.from((page ? RepresentationPage : Representation).encode(value as never).finish()),
  responseDeserialize: (bytes: Buffer) => (page ? RepresentationPage : Representation).decode(bytes),
});
const definition = { get: method('Get', false), list: method('List', true), refuse: method('Refuse', false) };
const request: ResolveRequest = ResolveRequestMessage.fromPartial({
  token: 't',
  target: { $case: 'project', value: 'a/b' },
});

/** A server that answers one RPC by `get`. */
const serverThat = (get: () => Promise<never>) =>
  startServer({
    services: [
      implement(definition, {
        get,
        list: async () => page([], { keyset: true, page: 1, perPage: 20, hasNext: false }) as never,
        refuse: async () => entity({}),
      }),
    ],
    trusted,
    host: '127.0.0.1',
    port: 0,
  });

describe('signed calls', () => {
  let server: RunningServer;
  let seen: CallContext | undefined;
  let sequence = 0;
  let refusal = conflict('taken');
  const peers: { close(): void }[] = [];
  const client = (signer: Signer) => {
    const peer = connect(`127.0.0.1:${server.port}`, signer);
    peers.push(peer);
    return peer.client(definition);
  };

  beforeAll(async () => {
    const service: ServiceImplementation = implement(
      definition,
      {
        get: async (_request: ResolveRequest, context: CallContext) => {
          seen = context;
          return entity({ name: 'ü'.repeat(100_000) });
        },
        list: async () =>
          page([{ id: 1 }], { keyset: false, page: 2, perPage: 20, total: 21, hasNext: false }) as never,
        refuse: async () => {
          throw refusal;
        },
      },
      { list: { callers: ['gateway', 'packages'] }, refuse: { callers: ['packages'], onBehalfOf: true } },
    );
    server = await startServer({
      services: [service],
      trusted,
      host: '127.0.0.1',
      port: 0,
      ensureDirectory: async (wanted) => {
        sequence = wanted;
      },
    });
  });
  afterAll(async () => {
    for (const peer of peers) peer.close();
    await server.close(1_000);
  });

  it('leave nothing at a signal that outlives them', async () => {
    const { signal } = new AbortController();
    const get = () => client(gateway.signer).get(request, { requestId: 'r0', signal });
    await Promise.all([get(), get()]);
    await expect(client(gateway.signer).refuse(request, { requestId: 'r0', signal })).rejects.toBeDefined();
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('carry actor, access and directory sequence, and pass the JSON bytes through', async () => {
    const reply = await client(gateway.signer).get(request, {
      requestId: 'r1',
      actor: { ...anonymous, userId: 5 },
      directorySequence: 9,
    });
    expect(JSON.parse(reply.json.toString())).toEqual({ name: 'ü'.repeat(100_000) });
    expect(seen).toMatchObject({ caller: 'gateway', requestId: 'r1', actor: { userId: 5 } });
    expect(sequence).toBe(9);
  });

  it('carry page information with the rows', async () => {
    const reply = (await client(packages.signer).list(request, { requestId: 'r2' })) as unknown as RepresentationPage;
    expect(JSON.parse(reply.json.toString())).toEqual([{ id: 1 }]);
    expect(reply.page).toMatchObject({ page: 2, total: 21, hasNext: false });
  });

  it('rebuild the error that was thrown', async () => {
    const failure = await client(packages.signer)
      .refuse(request, { requestId: 'r3' })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'conflict', body: { message: 'taken' } });
  });

  it.each([
    [
      'problems of a field, the last text with the number of the others',
      invalid({ name: ["can't be blank"], rows: Array.from({ length: 5_000 }, (_, at) => `row ${at} has no path`) }),
      /^\{"message":\{"name":\["can't be blank"\],"rows":\["row 0 has no path",.*"and \d+ more"\]\}\}$/,
    ],
    [
      'fields with problems',
      invalid(Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`row ${at}`, ['has no path']]))),
      /^\{"message":\{"row 0":\["has no path"\],.*"base":\["and \d+ more"\]\}\}$/,
    ],
    [
      'long texts, counted in bytes as they are written',
      invalid(Array.from({ length: 50_000 }, () => 'é"').join('')),
      /^\{"message":"é\\"é.* … and \d+ more characters"\}$/,
    ],
    ['parameters', invalidParams('é'.repeat(100_000)), /^\{"error":"éé.*é … and \d+ more characters"\}$/],
    ['a text of a field', invalid({ a: ['😀'.repeat(50_000), 'too'] }), /😀 … and \d+ more characters","and 1 more"/],
  ])('contain as many %s as fit, and a note that there are more', async (_name, thrown, expected) => {
    refusal = thrown;
    const failure = await client(packages.signer)
      .refuse(request, { requestId: 'r4' })
      .catch((error: unknown) => error as AppError);
    expect(failure).toMatchObject({ kind: thrown.kind });
    expect(JSON.stringify((failure as AppError).body)).toMatch(expected);
  });

  it.each([
    ['a process the RPC does not list', () => client(packages.signer).get(request, { requestId: 'r' }), 'forbidden'],
    [
      'a key that is not the signer’s',
      () => client(unknownSigner.signer).get(request, { requestId: 'r' }),
      'unavailable',
    ],
    [
      'a service that speaks for a user where that is not declared',
      () => client(packages.signer).list(request, { requestId: 'r', actor: { ...anonymous, userId: 1 } }),
      'forbidden',
    ],
  ])('refuse %s', async (_name, call, kind) => {
    const failure = await call().catch((error: unknown) => error);
    expect(isAppError(failure, kind as AppError['kind'])).toBe(true);
  });

  it('of a later version are unavailable to an earlier one for now, and logged once', async () => {
    const peer = connect(`127.0.0.1:${server.port}`, gateway.signer);
    peers.push(peer);
    const stream = { ...method('StreamLater', false), responseStream: true as const };
    const later = peer.client({ later: method('Later', false), stream });
    const warned = jest.spyOn(logger, 'warn').mockReturnValue(undefined);
    for (const requestId of ['first', 'second']) {
      const failure = await later.later(request, { requestId }).catch((error: unknown) => error);
      expect(failure).toMatchObject({ kind: 'unavailable', begun: false, retryAfter: 5 });
    }
    await expect(later.stream(request, { requestId: 'third' })[Symbol.asyncIterator]().next()).rejects.toMatchObject({
      kind: 'unavailable',
      retryAfter: 5,
    });
    expect(warned.mock.calls).toEqual(
      ['Later', 'StreamLater'].map((name) => [
        { rpc: `/switchyard.test.v1.ThingService/${name}` },
        expect.stringContaining('of an earlier version'),
      ]),
    );
    warned.mockRestore();
  });

  it('have a deadline: a dead peer answers unavailable', async () => {
    const peer = connect('127.0.0.1:9', gateway.signer);
    peers.push(peer);
    const failure = await peer
      .client(definition)
      .get(request, { requestId: 'r', timeoutMs: 300 })
      .catch((error: unknown) => error);
    expect(failure).toMatchObject({ kind: 'unavailable', begun: false });
  });

  it('are given up soon when the peer takes connections and never speaks', async () => {
    const taken: Socket[] = [];
    const mute = createServer((socket) => taken.push(socket)).listen(0, '127.0.0.1');
    await once(mute, 'listening');
    const peer = connect(`127.0.0.1:${(mute.address() as AddressInfo).port}`, gateway.signer);
    const startedAt = Date.now();
    const failure = await peer
      .client(definition)
      .get(request, { requestId: 'r', timeoutMs: 20_000 })
      .catch((error: unknown) => error);
    expect(isAppError(failure, 'unavailable')).toBe(true);
    expect(Date.now() - startedAt).toBeLessThan(5_000);
    peer.close();
    for (const socket of taken) socket.destroy();
    mute.close();
  });

  it('are given up soon when the peer falls silent, and answered soon after it speaks again', async () => {
    const gate = await tcpGate({ host: '127.0.0.1', port: server.port });
    const peer = connect(`127.0.0.1:${gate.port}`, gateway.signer);
    const get = () => peer.client(definition).get(request, { requestId: 'r', timeoutMs: 20_000 });
    const fails = async (): Promise<{ failure: unknown; took: number }> => {
      const startedAt = Date.now();
      const failure = await get().catch((error: unknown) => error);
      return { failure, took: Date.now() - startedAt };
    };
    await get();
    gate.freeze();
    // The connection is found to be dead after 5 s; from then on none can be made, which is waited for for 2 s.
    for (const [begun, within] of [
      [true, 7_000],
      [false, 4_000],
    ] as const) {
      const { failure, took } = await fails();
      expect(failure).toMatchObject({ kind: 'unavailable', begun });
      expect(took).toBeLessThan(within);
    }
    gate.thaw();
    await eventually(get, { within: 5_000 });
    peer.close();
    await gate.close();
  }, 20_000);

  it.each([0, 2, 8])(
    'are unavailable when the peer resets the stream with code %i, and an idempotent one is made again',
    async (code) => {
      let streams = 0;
      const resetting = createHttp2Server().on('stream', (stream) => {
        streams += 1;
        stream.on('error', () => undefined).close(code);
      });
      await once(resetting.listen(0, '127.0.0.1'), 'listening');
      const peer = connect(`127.0.0.1:${(resetting.address() as AddressInfo).port}`, gateway.signer);
      const call = (idempotent: boolean) =>
        peer
          .client(definition)
          .get(request, { requestId: 'r', idempotent })
          .catch((error: unknown) => error);
      expect(await call(false)).toMatchObject({ kind: 'unavailable', begun: true });
      expect(streams).toBe(1);
      // A cancelled stream (8) was ended on purpose.
      expect(isAppError(await call(true), 'unavailable')).toBe(true);
      expect(streams).toBe(code === 8 ? 2 : 3);
      peer.close();
      resetting.close();
    },
  );

  it.each([
    [0, 2],
    [1_100, 1],
  ])(
    'are made again where the peer refused them at once, not after a second: after %i ms %i calls',
    async (after, made) => {
      let calls = 0;
      const away = await serverThat(async () => {
        calls += 1;
        await pause(after);
        throw unavailable(new Error('its database is away'));
      });
      const peer = connect(`127.0.0.1:${away.port}`, gateway.signer);
      const failure = await peer
        .client(definition)
        .get(request, { requestId: 'r', idempotent: true })
        .catch((error: unknown) => error);
      expect([isAppError(failure, 'unavailable'), calls]).toEqual([true, made]);
      peer.close();
      await away.close(100);
    },
  );

  it('are not made again when they ran out of time or were broken off', async () => {
    let calls = 0;
    const slow = await serverThat(() => {
      calls += 1;
      return new Promise(() => undefined);
    });
    const peer = connect(`127.0.0.1:${slow.port}`, gateway.signer);
    const call = (options: object) =>
      peer
        .client(definition)
        .get(request, { requestId: 'r', idempotent: true, ...options })
        .catch((error: unknown) => error);
    expect(await call({ timeoutMs: 300 })).toMatchObject({ kind: 'unavailable', begun: true });
    expect(calls).toBe(1);
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 200);
    await call({ signal: abort.signal });
    expect(calls).toBe(2);
    peer.close();
    await slow.close(100);
  });
});

describe('signed claims', () => {
  const content = Buffer.from('a request');
  const used = new UsedClaims();
  const verify = (signed: Buffer | undefined, call: object = {}) =>
    verifyClaims(trusted, used, { method: '/a/B', content, signed, ...call });
  const sign = () => signClaims(gateway.signer, '/a/B', 'r', {}, content);
  const reencoded = (change: (claims: Claims) => Partial<Claims>): Buffer => {
    const { claims, signature } = SignedClaims.decode(sign());
    const changed = Claims.encode(Claims.fromPartial(change(Claims.decode(claims)))).finish();
    return Buffer.from(SignedClaims.encode({ claims: Buffer.from(changed), signature }).finish());
  };

  it('are good for one method, one content and five minutes, and for nothing that was changed', () => {
    const signed = sign();
    expect(() => verify(signed, { method: '/a/C' })).toThrow(AppError);
    expect(() => verify(signed, { content: Buffer.from('another') })).toThrow(AppError);
    expect(() => verify(signed, { content: undefined })).toThrow(AppError);
    expect(() => verify(reencoded((claims) => ({ ...claims, actor: { ...anonymous, userId: 1 } })))).toThrow(AppError);
    expect(verify(signed).requestId).toBe('r');
    const late = sign();
    jest.useFakeTimers({ now: Date.now() + 301_000 });
    expect(() => verify(late)).toThrow(AppError);
    jest.useRealTimers();
  });

  it('are taken once, in whatever order they come', () => {
    const several = Array.from({ length: 100 }, sign);
    for (const signed of [...several].reverse()) expect(verify(signed).caller).toBe('gateway');
    for (const signed of several) expect(() => verify(signed)).toThrow(AppError);
    const wrong = sign();
    expect(() => verify(wrong, { method: '/a/C' })).toThrow(AppError);
    expect(verify(wrong).caller).toBe('gateway');
  });

  it.each([
    ['absent', undefined],
    ['empty', Buffer.alloc(0)],
    ['noise', Buffer.from('ff00ff00ff', 'hex')],
    ['cut off', sign().subarray(0, 40)],
    [
      'without a signature',
      Buffer.from(
        SignedClaims.encode(SignedClaims.fromPartial({ claims: SignedClaims.decode(sign()).claims })).finish(),
      ),
    ],
    ['with a signature of another length', Buffer.concat([sign(), Buffer.from([0x12, 3, 1, 2, 3])])],
    [
      'claims that are no message',
      Buffer.from(SignedClaims.encode({ claims: Buffer.from('ffff', 'hex'), signature: Buffer.alloc(64) }).finish()),
    ],
    ['of a process that has no key', reencoded((claims) => ({ ...claims, caller: '__proto__' }))],
    ['without a number', reencoded((claims) => ({ ...claims, sequence: 0 }))],
  ])('that are %s are refused as unauthorized', (_name, signed) => {
    expect(() => verify(signed)).toThrow(expect.objectContaining({ kind: 'unauthorized' }));
  });
});

describe('what arrives at a server', () => {
  const handled: ResolveRequest[] = [];
  const streamed = { ...method('Stream', false), responseStream: true as const };
  const endless = { ...method('Endless', false), responseStream: true as const };
  let server: RunningServer;
  let raw: Client;
  let endlessMessages = 0;
  let endlessEnded = false;
  const waiting = { ...method('Waiting', false), responseStream: true as const };
  let waitingEnded = false;
  beforeAll(async () => {
    server = await startServer({
      services: [
        implement(
          { get: definition.get, stream: streamed, endless, waiting } as never,
          {
            get: async (asked: ResolveRequest) => {
              handled.push(asked);
              return entity({});
            },
            stream: async function* (asked: ResolveRequest) {
              handled.push(asked);
              yield entity({ n: 1 });
              yield entity({ n: 2 });
            },
            waiting: async function* (_asked: ResolveRequest, { signal }: CallContext) {
              yield entity({ n: 1 });
              await new Promise<void>((settle) => signal.addEventListener('abort', () => settle()));
              waitingEnded = true;
            },
            endless: async function* () {
              try {
                for (;;) {
                  endlessMessages += 1;
                  yield entity({ text: 'x'.repeat(1 << 20) });
                }
              } finally {
                endlessEnded = true;
              }
            },
          } as never,
        ),
      ],
      trusted,
      host: '127.0.0.1',
      port: 0,
    });
    raw = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure());
  });
  beforeEach(() => {
    handled.length = 0;
  });
  afterAll(async () => {
    raw.close();
    await server.close(100);
  });

  const asIs = (bytes: Buffer): Buffer => bytes;
  const send = (path: string, bytes: Buffer, signed?: Buffer): Promise<string> => {
    const metadata = new Metadata();
    if (signed !== undefined) metadata.set('switchyard-identity-bin', signed);
    return new Promise((settle) => {
      if (path === definition.get.path) {
        raw.makeUnaryRequest(path, asIs, asIs, bytes, metadata, (error) => settle(error ? String(error.code) : 'ok'));
        return;
      }
      const call = raw.makeServerStreamRequest(path, asIs, asIs, bytes, metadata);
      call.on('data', () => undefined).once('end', () => settle('ok'));
      call.once('error', (error) => settle(String((error as ServiceError).code)));
    });
  };
  const refused = String(status.UNAUTHENTICATED);
  const bytes = definition.get.requestSerialize(request);
  const otherBytes = definition.get.requestSerialize({ ...request, token: 'another' });

  it.each([definition.get.path, streamed.path])(
    '%s: claims let in the request they were signed for, once',
    async (path) => {
      const signed = signClaims(gateway.signer, path, 'r', {}, bytes);
      expect(await send(path, otherBytes, signed)).toBe(refused);
      expect(handled).toEqual([]);
      expect(await send(path, bytes, signed)).toBe('ok');
      expect(await send(path, bytes, signed)).toBe(refused);
      expect(handled).toEqual([request]);
    },
  );

  it.each([
    ['no claims', bytes, undefined],
    ['noise for claims', bytes, Buffer.from('ff00ff', 'hex')],
    ['noise for a request', Buffer.from('ffffffff', 'hex'), undefined],
    ['noise for both', Buffer.from('ffffffff', 'hex'), Buffer.alloc(3_000, 0xff)],
  ])('%s: unauthenticated, and no line in the log', async (_name, message, signed) => {
    const log = jest.spyOn(logger, 'error');
    for (const path of [definition.get.path, streamed.path]) expect(await send(path, message, signed)).toBe(refused);
    expect(log).not.toHaveBeenCalled();
    log.mockRestore();
  });

  it('a stream ends with its caller, although it waits to be read', async () => {
    const peer = connect(`127.0.0.1:${server.port}`, gateway.signer);
    const messages = peer.client({ endless }).endless(request, { requestId: 'left' });
    for await (const _message of messages) {
      // Until its window is full, which it is when nothing more is written.
      for (let written = -1; written !== endlessMessages; ) {
        written = endlessMessages;
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      expect(endlessEnded).toBe(false);
      break;
    }
    await eventually(() => expect(endlessEnded).toBe(true));
    peer.close();
  });

  it('a stream that waits ends with the signal of its caller', async () => {
    const peer = connect(`127.0.0.1:${server.port}`, gateway.signer);
    const leaving = new AbortController();
    waitingEnded = false;
    const messages = peer.client({ waiting }).waiting(request, { requestId: 'signal', signal: leaving.signal });
    const got: unknown[] = [];
    const read = (async () => {
      for await (const message of messages) got.push(JSON.parse(String(message.json)));
    })();
    await eventually(() => expect(got).toEqual([{ n: 1 }]));
    leaving.abort();
    await expect(read).rejects.toMatchObject({ kind: 'unavailable' });
    await eventually(() => expect(waitingEnded).toBe(true));
    peer.close();
  });

  it('a call that is made again is signed again, a stream is signed too', async () => {
    const peer = connect(`127.0.0.1:${server.port}`, gateway.signer);
    const client = peer.client({ get: definition.get, stream: streamed });
    for (let n = 0; n < 3; n += 1) await client.get(request, { requestId: 'same' });
    const got: unknown[] = [];
    for await (const message of client.stream(request, { requestId: 'same' }))
      got.push(JSON.parse(String(message.json)));
    expect(got).toEqual([{ n: 1 }, { n: 2 }]);
    expect(handled).toHaveLength(4);
    peer.close();
  });
});
