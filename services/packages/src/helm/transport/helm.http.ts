import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { BlobStore } from '@switchyard/blobs';
import { invalidParams, notFound } from '@switchyard/errors';
import { type ForwardedCall, type ForwardedEndpoint, readUploadForm, untilWhole } from '@switchyard/rpc';
import { isKnown, sendContent, sendJson, withinLimit } from '../../contents';
import { publisherOf } from '../../packages';
import type { Charts } from '../application/manage-charts';
import type { Channel } from '../domain/channel';
import { isChannel, isChartFile } from '../domain/chart';
import { chartIndex } from '../presenters/chart-index';

/** What the endpoints work with. */
export interface HelmHttpEdges {
  readonly charts: Charts;
  readonly blobs: BlobStore;
  /** Bytes of the largest chart. */
  readonly limit: number;
  /** Path at which the installation lies, without a trailing slash. */
  readonly root: string;
}

const form = {
  fileField: 'chart',
  overhead: 1 << 20,
  // An unused blob is pruned after an hour.
  timeoutMs: 3_000_000,
} as const;

/** Changes when the form of the index does, so that clients do not keep an old one. */
const indexForm = '1';

const channelOf = ({ projectId, parts: [channel = ''] }: ForwardedCall): Channel => ({ projectId, channel });

/** Helm charts on the internal HTTP port; index and files stream. */
export function helmHttp({ charts, blobs, limit, root }: HelmHttpEdges): readonly ForwardedEndpoint[] {
  async function upload(call: ForwardedCall): Promise<void> {
    const channel = channelOf(call);
    if (!isChannel(channel.channel)) throw invalidParams('channel is invalid');
    let isTaken = false;
    await withinLimit(call.request, limit + form.overhead, () =>
      readUploadForm(call.request, { ...form, file: limit }, (_fileName, content, fields) => {
        isTaken = true;
        return charts.publish(channel, publisherOf(call), untilWhole(content, fields), limit);
      }),
    );
    if (!isTaken) throw invalidParams('chart is missing');
    sendJson(call, 201, { message: '201 Created' });
  }

  async function index(call: ForwardedCall): Promise<void> {
    const { request, response, projectId } = call;
    const channel = channelOf(call);
    if (!isChannel(channel.channel)) throw notFound();
    const state = await charts.state(channel);
    const tag = `W/"${indexForm}-${state.revision}"`;
    const head = {
      ETag: tag,
      'Cache-Control': 'max-age=0, private, must-revalidate',
      'Content-Type': 'text/yaml',
      'X-Content-Type-Options': 'nosniff',
    };
    const known = isKnown(call, tag);
    response.writeHead(known ? 304 : 200, head);
    if (known || request.method === 'HEAD') {
      response.end();
      return;
    }
    const place = { contextPath: `${root}/api/v4/projects/${projectId}/packages/helm` };
    await pipeline(Readable.from(chartIndex(charts.charts(channel), state, place)), response);
  }

  async function download(call: ForwardedCall): Promise<void> {
    const channel = channelOf(call);
    const fileName = call.parts[1] ?? '';
    const isPath = isChannel(channel.channel) && isChartFile(fileName);
    const file = isPath ? await charts.find(channel, fileName) : undefined;
    if (file === undefined) throw notFound();
    if (call.request.method === 'GET') charts.recordDownload(file.packageId);
    await sendContent(call, blobs, file);
  }

  const methods = ['GET', 'HEAD'];
  const path = (rest: string): RegExp => new RegExp(`^/projects/(\\d{1,15})/packages/helm/([^/]+)/${rest}$`);
  return [
    { methods: ['POST'], path: path('charts'), run: upload },
    { methods, path: path('index'), run: index },
    { methods, path: path('charts/([^/]+)'), run: download },
  ];
}
