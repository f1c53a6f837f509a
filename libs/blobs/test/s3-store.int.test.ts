import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { testCertificate } from '@switchyard/testkit';
import S3rver from 's3rver';
import { type BlobStore, openBlobStore } from '../src';
import { blobStoreContract } from './blob-store-contract';

const bucket = {
  SWITCHYARD_DATA: '/nowhere',
  S3_BUCKET: 'switchyard',
  S3_REGION: 'us-east-1',
  S3_SIGNED_DOWNLOADS: false,
  S3_ACCESS_KEY_ID: 'S3RVER',
  S3_SECRET_ACCESS_KEY: 'S3RVER',
};

describe('blobs on S3', () => {
  let folder: string;
  let server: S3rver;
  let store: BlobStore;
  let endpoint: string;
  const warned = jest.spyOn(process, 'emitWarning');

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchyard-s3-'));
    const options = { address: '127.0.0.1', port: 0, silent: true, directory: folder };
    server = new S3rver({ ...options, configureBuckets: [{ name: bucket.S3_BUCKET, configs: [] }] });
    const { port } = (await server.run()) as AddressInfo;
    endpoint = `http://127.0.0.1:${port}`;
    store = await openBlobStore({ ...bucket, S3_ENDPOINT: endpoint });
  });
  afterAll(async () => {
    store?.close();
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('says nothing of versions of Node', () => {
    expect(warned.mock.calls.filter(([warning]) => /NodeVersionSupportWarning/.test(String(warning)))).toEqual([]);
  });

  blobStoreContract(() => store);

  it('gives addresses that anyone may read, in part and under a name, where they are wanted', async () => {
    const how = { seconds: 60, contentType: 'text/x-odd', contentDisposition: 'attachment; filename="a b"' };
    await store.write('kind/signed', Readable.from([Buffer.from('0123456789')]));
    expect(await store.addressOf('kind/signed', how)).toBeUndefined();
    const signing = await openBlobStore({ ...bucket, S3_ENDPOINT: endpoint, S3_SIGNED_DOWNLOADS: true });
    const address = (await signing.addressOf('kind/signed', how)) ?? '';
    const reply = await fetch(address, { headers: { Range: 'bytes=2-4' } });
    expect([reply.status, await reply.text()]).toEqual([206, '234']);
    expect(reply.headers.get('content-type')).toBe('text/x-odd');
    expect(reply.headers.get('content-disposition')).toBe(how.contentDisposition);
    expect(address).toMatch(/X-Amz-Expires=60&.*X-Amz-Signature=[0-9a-f]{64}/);
    signing.close();
  });

  it('trusts the CA of a file', async () => {
    const { certificate, key } = testCertificate(folder, 'ours');
    const secure = new S3rver({
      ...{ address: '127.0.0.1', port: 0, silent: true, directory: folder },
      ...{ cert: readFileSync(certificate, 'utf8'), key: readFileSync(key, 'utf8') },
      configureBuckets: [{ name: bucket.S3_BUCKET, configs: [] }],
    });
    const S3_ENDPOINT = `https://127.0.0.1:${((await secure.run()) as AddressInfo).port}`;
    const trusting = await openBlobStore({ ...bucket, S3_ENDPOINT, S3_CA_FILE: certificate });
    await trusting.write('kind/secure', Readable.from([Buffer.from('0123')]));
    expect((await trusting.open('kind/secure'))?.size).toBe(4);
    trusting.close();
    await secure.close();
    const absent = { ...bucket, S3_ENDPOINT, S3_CA_FILE: join(folder, 'absent') };
    await expect(openBlobStore(absent)).rejects.toThrow(/^S3_CA_FILE: .+ cannot be read \(ENOENT\)$/);
    const plain = { ...bucket, S3_ENDPOINT: 'http://127.0.0.1:1', S3_CA_FILE: certificate };
    await expect(openBlobStore(plain)).rejects.toThrow(/^S3_CA_FILE: has no effect with an http:/);
  });

  it('wants both halves of the credentials', async () => {
    const half = { ...bucket, S3_SECRET_ACCESS_KEY: undefined };
    await expect(openBlobStore(half)).rejects.toThrow('S3_SECRET_ACCESS_KEY: is missing');
  });
});
