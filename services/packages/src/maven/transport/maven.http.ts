import type { BlobStore } from '@switchyard/blobs';
import { AppError, invalidParams } from '@switchyard/errors';
import type { ForwardedCall, ForwardedEndpoint } from '@switchyard/rpc';
import { sendBody, sendContent, withinLimit } from '../../contents';
import { nothingFound, placeOf, publisherOf } from '../../packages';
import { digestOf, type MavenFiles } from '../application/manage-maven-files';
import { type Checksum, readDigest, readMavenPath } from '../domain/maven-path';

/** What the endpoints work with. */
export interface MavenHttpEdges {
  readonly files: MavenFiles;
  readonly blobs: BlobStore;
  /** Bytes of the largest file. */
  readonly limit: number;
}

/** Bytes of a file with a checksum: the digest, and the name that some tools write after it. */
const mostDigestBytes = 1_024;

async function readDigestFile({ request }: ForwardedCall, checksum: Checksum): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > mostDigestBytes) throw new AppError('too_large');
    chunks.push(chunk);
  }
  const digest = readDigest(checksum, Buffer.concat(chunks).toString('latin1'));
  if (digest === undefined) throw invalidParams(`${checksum} is invalid`);
  return digest;
}

const plain = { 'Content-Type': 'text/plain' };

/** A Maven repository on the internal HTTP port, of a project, a group or the instance; files stream. */
export function mavenHttp({ files, blobs, limit }: MavenHttpEdges): readonly ForwardedEndpoint[] {
  async function upload(call: ForwardedCall): Promise<void> {
    const { projectId, request } = call;
    const path = readMavenPath(call.parts[0] ?? '');
    if (path === undefined) throw invalidParams('path is invalid');
    if (path.checksum === undefined)
      await withinLimit(request, limit, () =>
        files.publish({ projectId, path, publisher: publisherOf(call) }, request, limit),
      );
    else await files.verify(projectId, path, path.checksum, await readDigestFile(call, path.checksum));
    sendBody(call, 200, '', plain);
  }

  async function download(call: ForwardedCall): Promise<void> {
    const path = readMavenPath(call.parts[0] ?? '');
    const file = path && (await files.find(placeOf(call), path));
    if (file === undefined) throw nothingFound(call);
    if (path?.checksum !== undefined) {
      const digest = digestOf(file, path.checksum);
      if (digest === undefined) throw nothingFound(call);
      sendBody(call, 200, digest, plain);
      return;
    }
    if (call.request.method === 'GET') files.recordDownload(file.packageId);
    // A resolver that knows these asks for no checksum file.
    call.response.setHeader('X-Checksum-SHA1', file.sha1).setHeader('X-Checksum-MD5', file.md5);
    await sendContent(call, blobs, file);
  }

  const read = { methods: ['GET', 'HEAD'], run: download };
  const ofProject = /^\/projects\/(\d{1,15})\/packages\/maven\/(.+)$/;
  return [
    { methods: ['PUT'], path: ofProject, run: upload },
    { ...read, path: ofProject },
    { ...read, target: 'group', path: /^\/groups\/(\d{1,15})\/packages\/maven\/(.+)$/ },
    { ...read, target: 'instance', path: /^\/packages\/maven\/(.+)$/ },
  ];
}
