import type {
  PageInfo,
  PageRequest,
  Representation,
  RepresentationPage,
} from '@switchyard/protos/rpc/v1/representation';

const encode = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

/** A finished representation; `status` when it differs from the route's default. */
export const entity = (value: unknown, status = 0): Representation => ({ json: encode(value), status });

/** Bytes of JSON that are finished already; `status` when it differs from the route's default. */
export const json = (bytes: Buffer, status = 0): Representation => ({ json: bytes, status });

/** A reply without a body (204, 304 …); `status` when it differs from the route's default. */
export const nothing = (status = 0): Representation => json(Buffer.alloc(0), status);

/** A finished page of a list, as libs/database's `listPage` cut it. */
export const page = (
  values: readonly unknown[],
  info: {
    keyset: boolean;
    page: number;
    perPage: number;
    total?: number | undefined;
    hasNext: boolean;
    nextCursor?: string | undefined;
    prevCursor?: string | undefined;
  },
): RepresentationPage => ({
  json: encode(values),
  page: {
    keyset: info.keyset,
    page: info.page,
    perPage: info.perPage,
    total: info.total,
    hasNext: info.hasNext,
    nextCursor: info.nextCursor ?? '',
    prevCursor: info.prevCursor ?? '',
  } satisfies PageInfo,
  status: 0,
});

/** The page a list RPC was asked for, in the shape `listPage` takes. */
export const pageRequest = (
  wire: PageRequest | undefined,
  defaults: { orderBy: string; descending?: boolean },
): {
  mode: 'offset' | 'keyset';
  page: number;
  perPage: number;
  cursor: string | undefined;
  orderBy: string;
  sort: 'asc' | 'desc';
} => ({
  mode: wire?.keyset === true ? 'keyset' : 'offset',
  page: wire?.page || 1,
  perPage: wire?.perPage || 20,
  cursor: wire?.cursor || undefined,
  orderBy: wire?.orderBy || defaults.orderBy,
  sort: (wire?.descending ?? defaults.descending ?? false) ? 'desc' : 'asc',
});
