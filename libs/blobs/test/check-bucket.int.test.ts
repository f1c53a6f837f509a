import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { types } from 'node:util';
import { logger } from '@switchyard/telemetry';
import { eventually, freePort, testCertificate } from '@switchyard/testkit';
import S3rver from 's3rver';
import { openBlobStore } from '../src';
import { checkedBucket } from '../src/check-bucket';
import { s3Store } from '../src/s3-store';

const bucket = {
  SWITCHYARD_DATA: '/nowhere',
  S3_BUCKET: 'files',
  S3_REGION: 'us-east-1',
  S3_SIGNED_DOWNLOADS: false,
  S3_ACCESS_KEY_ID: 'S3RVER',
  S3_SECRET_ACCESS_KEY: 'S3RVER',
};

let folder = '';
let endpoint = '';
let server: S3rver;
const others: { close(): unknown; closeAllConnections?(): void }[] = [];

const serverAt = (port: number) =>
  new S3rver({
    ...{ address: '127.0.0.1', port, silent: true, directory: folder },
    configureBuckets: [{ name: bucket.S3_BUCKET, configs: [] }],
  });

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'switchyard-s3-check-'));
  server = serverAt(0);
  endpoint = `http://127.0.0.1:${((await server.run()) as AddressInfo).port}`;
});
afterEach(() => jest.restoreAllMocks());
afterAll(async () => {
  await server?.close();
  for (const other of others) {
    other.closeAllConnections?.();
    other.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

/** The address of a server that answers so. */
async function answering(answer: RequestListener): Promise<string> {
  const other: Server = createServer(answer);
  others.push(other);
  await new Promise<void>((settle) => other.listen(0, '127.0.0.1', settle));
  return `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
}
const always = (status: number, body: string) => answering((_request, reply) => reply.writeHead(status).end(body));
const fault = (code: string) => `<?xml version="1.0"?><Error><Code>${code}</Code><Message>two\nlines</Message></Error>`;

/** A server of another protocol. */
async function talking(answer: string): Promise<string> {
  const other = createTcpServer((socket) => socket.on('error', () => undefined).once('data', () => socket.end(answer)));
  others.push(other);
  await new Promise<void>((settle) => other.listen(0, '127.0.0.1', settle));
  return `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
}

/** The server above for a key without ListBucket, and without the methods of `refused`. */
const without = (refused: readonly string[]) =>
  answering(async (request, reply) => {
    const { method = '', url = '', headers } = request;
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk);
    const deny = () => reply.writeHead(403).end(fault('AccessDenied'));
    if (refused.includes(method)) return deny();
    const given = Object.entries(headers).filter(([name]) => !['connection', 'content-length'].includes(name));
    const found = await fetch(`${endpoint}${url}`, {
      method,
      headers: Object.fromEntries(given) as Record<string, string>,
      ...(method === 'PUT' ? { body: Buffer.concat(body) } : {}),
    });
    if (method === 'GET' && found.status === 404) return deny();
    reply.writeHead(found.status, { ETag: found.headers.get('etag') ?? '' }).end(await found.text());
  });

const open = (further: Partial<typeof bucket> & { S3_ENDPOINT?: string; S3_CA_FILE?: string }) =>
  openBlobStore({ ...bucket, S3_ENDPOINT: endpoint, ...further });

// Errors of Node itself are of another realm under Jest, and the SDK would wrap them without their codes.
const isInstance = Function.prototype[Symbol.hasInstance];
beforeAll(() =>
  Object.defineProperty(Error, Symbol.hasInstance, {
    configurable: true,
    value(this: unknown, one: unknown) {
      return this === Error ? types.isNativeError(one) : isInstance.call(this, one);
    },
  }),
);
afterAll(() => Reflect.deleteProperty(Error, Symbol.hasInstance));

describe('settings with which the bucket can never be used', () => {
  it.each<[string, () => Promise<Parameters<typeof open>[0]>, RegExp]>([
    ['no such bucket', async () => ({ S3_BUCKET: 'flies' }), /^S3_BUCKET: http:\S+ has no bucket flies$/],
    ['an unknown key', async () => ({ S3_ACCESS_KEY_ID: 'one' }), /^S3_ACCESS_KEY_ID: .+ \(InvalidAccessKeyId: .+\)$/],
    [
      'a secret that does not fit',
      async () => ({ S3_ENDPOINT: await always(403, fault('SignatureDoesNotMatch')) }),
      /^S3_SECRET_ACCESS_KEY: .+ \(SignatureDoesNotMatch: .+\)$/,
    ],
    [
      'a bucket elsewhere',
      async () => ({ S3_ENDPOINT: await always(301, fault('PermanentRedirect')) }),
      /^S3_REGION: files is not in us-east-1 \(PermanentRedirect: two lines\)$/,
    ],
    [
      'a server that speaks without TLS',
      async () => ({ S3_ENDPOINT: endpoint.replace('http:', 'https:') }),
      /^S3_ENDPOINT: https:\S+ speaks no TLS$/,
    ],
    ...[
      ['a server of JSON', () => always(404, '{"error":"404 Not Found"}')] as const,
      ['a server of pages', () => always(404, '<!DOCTYPE html><p>Not found<br>')] as const,
      ['a server that has everything', () => always(200, '<!DOCTYPE html>')] as const,
      ['a server that is elsewhere', () => always(302, '')] as const,
      ['a database', () => talking('E\0\0\0\x20SFATAL\0')] as const,
    ].map(([name, at]): [string, () => Promise<Parameters<typeof open>[0]>, RegExp] => [
      name,
      async () => ({ S3_ENDPOINT: await at() }),
      /^S3_ENDPOINT: http:\S+ does not speak the protocol of S3$/,
    ]),
  ])('%s', async (_name, settings, message) => {
    await expect(open(await settings())).rejects.toThrow(message);
  });
});

it('a certificate that is not trusted, or of another name', async () => {
  const { certificate, key } = testCertificate(folder, 'ours');
  const secure = new S3rver({
    ...{ address: '127.0.0.2', port: 0, silent: true, directory: folder },
    ...{ cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') },
  });
  const { port } = (await secure.run()) as AddressInfo;
  const at = (host: string, S3_CA_FILE: string) => open({ S3_ENDPOINT: `https://${host}:${port}`, S3_CA_FILE });
  await expect(at('127.0.0.2', testCertificate(folder, 'others').certificate)).rejects.toThrow(
    /^S3_CA_FILE: the certificate of https:\S+ is not trusted \(\w+\)$/,
  );
  await expect(at('127.0.0.2', certificate)).rejects.toThrow(
    /^S3_ENDPOINT: the certificate of https:\S+ is of another name$/,
  );
  await secure.close();
});

it('a bucket that may not be listed is used', async () => {
  const warned = jest.spyOn(logger, 'warn').mockReturnValue(undefined);
  (await open({ S3_ENDPOINT: await without([]) })).close();
  expect(warned.mock.calls).toEqual([
    [{ bucket: 'files' }, 'S3_BUCKET: without the permission ListBucket a missing file looks like a refusal'],
  ]);
  expect(
    readdirSync(join(folder, 'files'), { recursive: true }).filter((name) => /_object$/.test(String(name))),
  ).toEqual([]);
});

it('a bucket that refuses the check alone, or everything, is named in the log: its policy may name the folders of services', async () => {
  const failed = jest.spyOn(logger, 'error').mockReturnValue(undefined);
  const store = await open({ S3_ENDPOINT: await without(['PUT']) });
  expect(failed.mock.calls).toEqual([[{ bucket: 'files' }, expect.stringMatching(/^S3_BUCKET: refuses all objects/)]]);
  store.close();
});

it('a machine that gives no credentials yet is waited for', async () => {
  const warned = jest.spyOn(logger, 'warn').mockReturnValue(undefined);
  const env = jest.replaceProperty(process, 'env', { AWS_EC2_METADATA_DISABLED: 'true', HOME: folder });
  const store = await open({ S3_ACCESS_KEY_ID: undefined, S3_SECRET_ACCESS_KEY: undefined });
  env.restore();
  expect(warned.mock.calls).toEqual([
    [expect.stringMatching(/^S3_ACCESS_KEY_ID: is missing, .+; files cannot be read/)],
  ]);
  store.close();
});

describe('a server that is away', () => {
  const storeAt = async (at: string) => {
    const store = await s3Store({
      ...{ bucket: 'files', region: 'us-east-1', endpoint: at, signedDownloads: false },
      credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    });
    return checkedBucket(
      store,
      { bucket: 'files', endpoint: at, region: 'us-east-1' },
      { answerTimeout: 3_000, askAgain: 50 },
    );
  };

  it.each<[string, () => Promise<string>, RegExp]>([
    ['is not there', async () => `http://127.0.0.1:${await freePort()}`, /does not answer \(ECONNREFUSED\); files /],
    ['ends connections', () => talking(''), /does not answer \(ECONNRESET\); files /],
    ['says nothing', () => answering(() => undefined), /does not answer; files /],
    ['is overloaded', () => always(503, fault('SlowDown')), /does not answer \(SlowDown\); files /],
    ['has another one in front of it', () => always(502, 'no upstream'), /does not answer \(502\); files /],
  ])('%s: the start goes on, with a line', async (_name, at, line) => {
    const warned = jest.spyOn(logger, 'warn').mockReturnValue(undefined);
    (await storeAt(await at())).close();
    expect(warned.mock.calls).toEqual([[expect.stringMatching(/^S3_ENDPOINT: http:\S+ does not answer/)]]);
    expect(warned.mock.calls[0]?.[0]).toMatch(line);
  });

  it('is asked until it answers, and a fault that shows itself then is logged once', async () => {
    jest.spyOn(logger, 'warn').mockReturnValue(undefined);
    const failed = jest.spyOn(logger, 'error').mockReturnValue(undefined);
    const informed = jest.spyOn(logger, 'info').mockReturnValue(undefined);
    const port = await freePort();
    const store = await storeAt(`http://127.0.0.1:${port}`);
    let asked = 0;
    const wrong = createServer((_request, reply) => {
      asked += 1;
      reply.writeHead(404, { Connection: 'close' }).end(fault('NoSuchBucket'));
    });
    await new Promise<void>((settle) => wrong.listen(port, '127.0.0.1', settle));
    await eventually(async () => expect(asked).toBeGreaterThan(3));
    expect(failed.mock.calls).toEqual([[`S3_BUCKET: http://127.0.0.1:${port} has no bucket files`]]);
    expect(informed).not.toHaveBeenCalled();
    await new Promise((settle) => wrong.close(settle));
    const right = serverAt(port);
    await right.run();
    await eventually(async () => expect(informed).toHaveBeenCalledWith({ bucket: 'files' }, 'the bucket answers'));
    store.close();
    await right.close();
  });
});
