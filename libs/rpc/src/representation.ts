import { setImmediate as otherWork } from 'node:timers/promises';
import { AppError } from '@switchyard/errors';
import type {
  PageInfo,
  PageRequest,
  Representation,
  RepresentationPage,
} from '@switchyard/protos/rpc/v1/representation';

/** Bytes a reply may have: 100 rows whose descriptions have 1,048,576 characters of 4 bytes fit (D4). */
export const maxReplyBytes = 512 << 20;

/** 413 of a request whose reply would be too long. */
export const replyTooLarge = (): AppError =>
  new AppError('too_large', { message: '413 Reply Too Large - ask for less, such as a smaller per_page' });

function encode(value: unknown): Buffer {
  try {
    return Buffer.from(JSON.stringify(value));
  } catch (error) {
    // A string of V8 ends at 512 MiB less a little: whatever does not fit into one is too long for a reply as well.
    throw error instanceof RangeError ? replyTooLarge() : error;
  }
}

/** Characters that are rendered at a stretch: some milliseconds. */
const stretch = 1 << 20;

async function encodeRows(values: readonly unknown[]): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  let text = '[';
  for (const [at, value] of values.entries()) {
    text += at === 0 ? JSON.stringify(value) : `,${JSON.stringify(value)}`;
    if (text.length < stretch) continue;
    const part = Buffer.from(text);
    bytes += part.length;
    if (bytes > maxReplyBytes) throw replyTooLarge();
    parts.push(part);
    text = '';
    await otherWork();
  }
  const last = Buffer.from(`${text}]`);
  return parts.length === 0 ? last : Buffer.concat([...parts, last]);
}

/** A finished representation; `status` when it differs from the route's default. */
export const entity = (value: unknown, status = 0): Representation => ({ json: encode(value), status });

/** Bytes of JSON that are finished already; `status` when it differs from the route's default. */
export const json = (bytes: Buffer, status = 0): Representation => ({ json: bytes, status });

/** A reply without a body (204, 304 …); `status` when it differs from the route's default. */
export const nothing = (status = 0): Representation => json(Buffer.alloc(0), status);

/** What `listPage` of libs/database returns about a page. */
interface PageCut {
  readonly keyset: boolean;
  readonly page: number;
  readonly perPage: number;
  readonly total?: number | undefined;
  readonly hasNext: boolean;
  readonly nextCursor?: string | undefined;
  readonly prevCursor?: string | undefined;
}

const pageOfJson = (json: Buffer, cut: PageCut): RepresentationPage => ({
  json,
  page: {
    keyset: cut.keyset,
    page: cut.page,
    perPage: cut.perPage,
    total: cut.total,
    hasNext: cut.hasNext,
    nextCursor: cut.nextCursor ?? '',
    prevCursor: cut.prevCursor ?? '',
  } satisfies PageInfo,
  status: 0,
});

/** A finished page of a list, as libs/database's `listPage` cut it. */
export const page = (values: readonly unknown[], cut: PageCut): RepresentationPage => pageOfJson(encode(values), cut);

/** The same for rows of megabytes: other calls go on between them. Fails with `too_large` (413). */
export const pageOfLongRows = async (values: readonly unknown[], cut: PageCut): Promise<RepresentationPage> =>
  pageOfJson(await encodeRows(values), cut);

/** The same for rows that are rendered to JSON one by one as they are taken. Fails with `too_large` (413). */
export async function pageOfRenderedRows(rows: Iterable<Buffer>, cut: PageCut): Promise<RepresentationPage> {
  const parts: Buffer[] = [];
  let bytes = 2;
  let atAStretch = 0;
  for (const row of rows) {
    parts.push(Buffer.from(parts.length === 0 ? '[' : ','), row);
    bytes += row.length + 1;
    if (bytes > maxReplyBytes) throw replyTooLarge();
    atAStretch += row.length;
    if (atAStretch < stretch) continue;
    atAStretch = 0;
    await otherWork();
  }
  return pageOfJson(Buffer.concat([...parts, Buffer.from(parts.length === 0 ? '[]' : ']')]), cut);
}

/** A page of a list, in the form that `listPage` accepts. */
interface ListPageRequest {
  mode: 'offset' | 'keyset';
  page: number;
  perPage: number;
  cursor: string | undefined;
  orderBy: string;
  sort: 'asc' | 'desc';
}

/** The requested page of a list RPC. */
export const pageRequest = (
  wire: PageRequest | undefined,
  defaults: { orderBy: string; descending?: boolean },
): ListPageRequest => ({
  mode: wire?.keyset === true ? 'keyset' : 'offset',
  page: wire?.page || 1,
  perPage: wire?.perPage || 20,
  cursor: wire?.cursor || undefined,
  orderBy: wire?.orderBy || defaults.orderBy,
  sort: (wire?.descending ?? defaults.descending ?? false) ? 'desc' : 'asc',
});

/** The requested page of a list RPC with one order, whichever the request names. */
export const fixedOrder = (
  wire: PageRequest | undefined,
  orderBy: string,
  sort: ListPageRequest['sort'],
): ListPageRequest => ({ ...pageRequest(wire, { orderBy }), orderBy, sort });
