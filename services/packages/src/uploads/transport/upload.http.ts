import type { BlobStore } from '@switchyard/blobs';
import { invalidParams } from '@switchyard/errors';
import { type ForwardedCall, type ForwardedEndpoint, readUploadForm, untilWhole } from '@switchyard/rpc';
import { longestUploadMs, sendContent, sendJson } from '../../contents';
import type { Uploads } from '../application/manage-uploads';
import { isPicture, type StoredUpload, type Upload, uploadName } from '../domain/upload';
import { presentNewUpload } from '../presenters/upload.presenter';

/** What the endpoints work with. */
export interface UploadHttpEdges {
  readonly uploads: Uploads;
  readonly blobs: BlobStore;
  /** Bytes of the largest file. */
  readonly limit: number;
}

/** Files that texts link to on the internal HTTP port; uploads and downloads stream. */
export function uploadHttp({ uploads, blobs, limit }: UploadHttpEdges): readonly ForwardedEndpoint[] {
  async function upload(call: ForwardedCall): Promise<void> {
    const { projectId, request, claims } = call;
    let made: Upload | undefined;
    const rules = { fileField: 'file', file: limit, timeoutMs: longestUploadMs, wanted: new Set<string>() };
    await readUploadForm(request, rules, async (name, content, fields) => {
      const file = { projectId, uploaderId: claims.actor?.userId || undefined, source: undefined };
      made = await uploads.keep({ ...file, nameFor: () => uploadName(name) }, untilWhole(content, fields));
    });
    if (made === undefined) throw invalidParams('file is missing');
    sendJson(call, 201, presentNewUpload(made));
  }

  const send = (call: ForwardedCall, found: StoredUpload): Promise<void> =>
    sendContent(call, blobs, { ...found, shownInPlace: isPicture(found) });
  const byId = async (call: ForwardedCall): Promise<void> =>
    send(call, await uploads.get(call.projectId, Number(call.parts[0])));
  async function bySecret(call: ForwardedCall): Promise<void> {
    const [secret = '', fileName = ''] = call.parts;
    await send(call, await uploads.getAt({ projectId: call.projectId, secret, fileName }));
  }

  const methods = ['GET', 'HEAD'];
  return [
    { methods: ['POST'], path: /^\/projects\/(\d{1,15})\/uploads$/, run: upload },
    { methods, path: /^\/projects\/(\d{1,15})\/uploads\/(\d{1,15})$/, run: byId },
    { methods, path: /^\/projects\/(\d{1,15})\/uploads\/([^/]+)\/([^/]+)$/, run: bySecret },
  ];
}
