import { targetKind } from '../authorize';
import { replayedHeader, takesKey } from '../keyed-requests';
import type { Route } from '../route';

type Json = Readonly<Record<string, unknown>>;

const failures: Readonly<Record<number, { name: string; description: string }>> = {
  400: { name: 'BadRequest', description: 'Parameters are missing or wrong, or the object is not valid.' },
  401: {
    name: 'Unauthorized',
    description: 'No token where one is needed, or a token that is unknown, expired or revoked.',
  },
  403: { name: 'Forbidden', description: 'The role, the scope of the token, or the licence tier does not allow it.' },
  404: { name: 'NotFound', description: 'There is no such object, or the caller cannot see it.' },
  405: { name: 'NotAllowed', description: 'The state of the object, or of the address, does not allow it.' },
  406: { name: 'NotAcceptable', description: 'The state of the object does not allow it at this time.' },
  408: { name: 'RequestTimeout', description: 'The body came too slowly.' },
  409: { name: 'Conflict', description: 'It is there already, or has changed in the meantime.' },
  412: { name: 'PreconditionFailed', description: 'The object has changed since `If-Unmodified-Since`.' },
  413: { name: 'TooLarge', description: 'The body is too large.' },
  415: { name: 'UnsupportedMediaType', description: 'The content type or encoding of the body is not supported.' },
  422: { name: 'Unprocessable', description: 'The request is understood, but cannot be carried out.' },
  429: { name: 'TooManyRequests', description: 'A limit on requests is reached.' },
  500: { name: 'InternalError', description: 'A fault of the server.' },
  503: { name: 'Unavailable', description: 'A part of the server is away or too busy; the request can be sent again.' },
  504: {
    name: 'GatewayTimeout',
    description:
      'The answer of the server was lost; the request may have been carried out. Look before it is sent again.',
  },
};

const errorContent = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
const retryAfter = { 'Retry-After': { $ref: '#/components/headers/RetryAfter' } };

/** The failures that operations share, as components. */
export const failureComponents: Json = Object.fromEntries(
  Object.entries(failures).map(([status, { name, description }]) => [
    name,
    {
      description,
      ...(status === '429' || status === '503' ? { headers: retryAfter } : {}),
      content: {
        ...errorContent,
        ...(status === '429' ? { 'text/plain': { schema: { type: 'string' } } } : {}),
      },
    },
  ]),
);

const isRead = (route: Route): boolean => route.method === 'get';

/** Every status a failure of this endpoint may have. */
export function failuresOf(route: Route): number[] {
  const hasTarget = targetKind(route) !== undefined;
  const statuses = [
    400,
    401,
    403,
    // A name in the path or in a parameter may be that of nothing.
    ...(route.path.includes('/:') || Object.keys(route.params ?? {}).length > 0 ? [404] : []),
    // A project or group that has moved is led to on reads only.
    ...(hasTarget && !isRead(route) ? [405] : []),
    ...(isRead(route) ? [] : [413, 415, 504]),
    ...(takesKey(route) ? [409, 422] : []),
    429,
    500,
    503,
    ...(route.docs?.fails ?? []),
  ];
  return [...new Set(statuses)].sort((a, b) => a - b);
}

/** Every status a reply of this endpoint may have. */
export const statusesOf = (route: Route): number[] => [
  ...Object.keys(route.returns).map(Number),
  ...(isRead(route) && route.events === undefined ? [304] : []),
  ...(isRead(route) && targetKind(route) !== undefined ? [301] : []),
  ...failuresOf(route),
];

const reference = (component: string | readonly [string]): Json =>
  typeof component === 'string'
    ? { $ref: `#/components/schemas/${component}` }
    : { type: 'array', items: { $ref: `#/components/schemas/${component[0]}` } };

const successTexts: Readonly<Record<number, string>> = {
  200: 'Done.',
  201: 'Created, or carried out.',
  202: 'Accepted; it is carried out in the background.',
  204: 'Done; there is nothing to say.',
  304: 'Nothing has changed.',
};

const header = (name: string): Json => ({ $ref: `#/components/headers/${name}` });

/** Headers of a page. */
const pageHeaders = {
  Link: header('Link'),
  'X-Page': header('Page'),
  'X-Per-Page': header('PerPage'),
  'X-Next-Page': header('NextPage'),
  'X-Prev-Page': header('PrevPage'),
  'X-Total': header('Total'),
  'X-Total-Pages': header('TotalPages'),
  'X-Next-Cursor': header('NextCursor'),
  'X-Prev-Cursor': header('PrevCursor'),
};

/** Header of what a request with a key may be answered with. */
export const replayed = { [replayedHeader]: header('Replayed') };

const text = (description: string): Json => ({ description, schema: { type: 'string' } });
const number = (description: string): Json => ({ description, schema: { type: 'integer' } });

/** Headers of replies, as components. */
export const headerComponents: Json = {
  Link: text('Addresses of the first, previous, next and last page (RFC 8288).'),
  Page: number('Number of this page. Not with keyset paging.'),
  PerPage: number('Most rows of a page.'),
  NextPage: text('Number of the next page; empty on the last. Not with keyset paging.'),
  PrevPage: text('Number of the previous page; empty on the first. Not with keyset paging.'),
  Total: number('Rows in all; left out when they are more than 10,000.'),
  TotalPages: number('Pages in all; left out when the rows are more than 10,000.'),
  NextCursor: text('Cursor of the next page, with keyset paging; left out on the last.'),
  PrevCursor: text('Cursor of the previous page, with keyset paging; left out on the first.'),
  RetryAfter: number('Seconds after which the request can be sent again.'),
  Location: text('The address it has moved to.'),
  Replayed: text('`true` on the answer to an earlier request with the same `Idempotency-Key`; otherwise left out.'),
  ETag: text('Tag of the reply, for `If-None-Match`.'),
};

/** The data of each event of a stream. */
const eventData = (component: string | readonly [string]): Json => ({
  type: 'string',
  contentMediaType: 'application/json',
  contentSchema: reference(component),
});

/** What an endpoint may answer. */
export function responsesOf(route: Route, links: Json): Json {
  const successes = Object.entries(route.returns).map(([status, component], index) => {
    const isBytes = component === undefined && route.docs?.contentTypes !== undefined;
    const headers = {
      ...(route.list === undefined ? {} : pageHeaders),
      ...(isRead(route) && status === '200' && route.events === undefined ? { ETag: header('ETag') } : {}),
      ...(takesKey(route) ? replayed : {}),
    };
    const content = isBytes
      ? Object.fromEntries(
          route.docs.contentTypes.map((type) => [type, { schema: { type: 'string', format: 'binary' } }]),
        )
      : component === undefined
        ? undefined
        : route.events === undefined
          ? { 'application/json': { schema: reference(component) } }
          : { 'text/event-stream': { schema: eventData(component) } };
    return [
      status,
      {
        description: isBytes ? 'The bytes.' : (successTexts[Number(status)] ?? 'Done.'),
        ...(Object.keys(headers).length === 0 || Number(status) >= 300 ? {} : { headers }),
        ...(content === undefined ? {} : { content }),
        ...(index === 0 && Object.keys(links).length > 0 ? { links } : {}),
      },
    ];
  });
  const extra = statusesOf(route)
    .filter((status) => !Object.hasOwn(route.returns, status))
    .map((status) => {
      const failure = failures[status];
      if (failure !== undefined) return [status, { $ref: `#/components/responses/${failure.name}` }];
      if (status === 304) return [status, { description: 'The reply is the one that `If-None-Match` names.' }];
      return [status, { description: 'It has moved.', headers: { Location: header('Location') } }];
    });
  return Object.fromEntries([...successes, ...extra]);
}
