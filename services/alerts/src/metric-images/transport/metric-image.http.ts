import { pipeline } from 'node:stream/promises';
import { type ForwardedCall, type ForwardedEndpoint, readUploadForm } from '@switchyard/rpc';
import type { MetricImages } from '../application/manage-metric-images';
import { presentMetricImage } from '../presenters/metric-image.presenter';

/** Milliseconds of an upload: a sixth of the time after which its unused blob is pruned. */
const uploadTimeoutMs = 600_000;

const alertOf = ({ projectId, parts }: ForwardedCall) => ({ projectId, iid: Number(parts[0]) });

/** Fields of the body win over the query (G-1-2). */
const linkOf = (fields: ReadonlyMap<string, string>, query: URLSearchParams) => ({
  url: fields.get('url') ?? query.get('url') ?? undefined,
  urlText: fields.get('url_text') ?? query.get('url_text') ?? undefined,
});

const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

/** Uploads and downloads on the internal HTTP port; both stream. @param limit bytes of the largest image */
export function metricImageHttp(images: MetricImages, limit: number): readonly ForwardedEndpoint[] {
  async function upload(call: ForwardedCall): Promise<void> {
    const { request, response, query } = call;
    const at = alertOf(call);
    const image = await images.upload(at, async (take) =>
      linkOf(
        await readUploadForm(request, { fileField: 'file', file: limit, timeoutMs: uploadTimeoutMs }, take),
        query,
      ),
    );
    const body = Buffer.from(JSON.stringify(presentMetricImage(image, at)));
    response.writeHead(201, { 'Content-Type': 'application/json', 'Content-Length': String(body.length) }).end(body);
  }

  async function download(call: ForwardedCall): Promise<void> {
    const { request, response } = call;
    const { image, content } = await images.open(alertOf(call), Number(call.parts[1]));
    const cache = {
      // A blob never changes.
      ETag: `W/"${image.blob.slice(image.blob.lastIndexOf('/') + 1)}"`,
      'Cache-Control': 'max-age=0, private, must-revalidate',
    };
    const known = (request.headers['if-none-match'] ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
    if (known.includes('*') || known.includes(cache.ETag.slice(2))) {
      response.writeHead(304, cache).end();
      return;
    }
    const head = {
      ...cache,
      'Content-Type': image.contentType,
      'Content-Length': String(image.size),
      'Content-Disposition': `inline; filename*=UTF-8''${encoded(image.filename)}`,
      // A browser must not interpret it as anything but an image.
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; sandbox",
    };
    if (request.method === 'HEAD') {
      response.writeHead(200, head).end();
      return;
    }
    const { content: bytes } = await content();
    response.writeHead(200, head);
    await pipeline(bytes, response);
  }

  const ofAlert = /^\/projects\/(\d{1,15})\/alerts\/(\d{1,15})\/metric_images$/;
  const one = /^\/projects\/(\d{1,15})\/alerts\/(\d{1,15})\/metric_images\/(\d{1,15})$/;
  return [
    { methods: ['POST'], path: ofAlert, run: upload },
    { methods: ['GET', 'HEAD'], path: one, run: download },
  ];
}
