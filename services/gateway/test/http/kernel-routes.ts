import type { PageRequest, Representation, RepresentationPage } from '@switchyard/protos/rpc/v1/representation';
import {
  boolean,
  csv,
  date,
  dateTime,
  forAdministrators,
  hash,
  hashes,
  integer,
  integers,
  jsonText,
  nullable,
  object,
  oneOf,
  onlyDefault,
  refusedAs,
  text,
  unsupported,
} from '../../src/http/params';
import { defineRoute, type Route } from '../../src/http/route';

/** Routes that exercise the kernel alone. */
export const kernelRoutes = (
  answer: (context: {
    params: unknown;
    page: PageRequest;
    list: boolean;
  }) => Promise<Representation | RepresentationPage>,
): readonly Route[] => [
  defineRoute({
    method: 'get',
    path: '/projects/:id/things',
    section: 'Instance',
    summary: 'List things',
    access: { project: 'read_code' },
    params: {
      labels: csv().optional(),
      topic_id: unsupported(integer()),
      not: hash({ topic_id: unsupported(integer()) }).optional(),
      storage: forAdministrators(unsupported(text())),
      since: forAdministrators(date().optional()),
    },
    list: { sort: 'desc' },
    returns: { 200: ['Thing'] },
    handle: ({ params, page }) => answer({ params, page, list: true }),
  }),
  defineRoute({
    method: 'post',
    path: '/projects/:id/things',
    section: 'Instance',
    summary: 'Create a thing',
    access: { project: 'push_code' },
    params: {
      name: text(),
      flag: boolean().optional(),
      count: integer().optional(),
      kind: oneOf('a', 'b').optional(),
      shade: refusedAs(oneOf('dark', 'light'), (shade) => `'${shade}' is not a shade`).optional(),
      ids: integers().optional(),
      labels: csv().optional(),
      not: hash({ author_id: integer().optional() }).optional(),
      extra: object().optional(),
      example: jsonText().optional(),
      due: date().optional(),
      steps: hashes({ do: text(), tags: csv().optional() }).optional(),
      at: dateTime().optional(),
      locked: onlyDefault(boolean(), false).optional(),
      ranges: onlyDefault(nullable(text()), null).optional(),
      levels: onlyDefault(hashes({ level: integer() }), [{ level: 40 }]).optional(),
    },
    returns: { 201: 'Thing' },
    handle: ({ params, page }) => answer({ params, page, list: false }),
  }),
  defineRoute({
    method: 'get',
    path: '/projects/:id/trains',
    section: 'Instance',
    summary: 'A licensed list',
    access: { project: 'read_code' },
    tier: 'premium',
    returns: { 200: 'Thing' },
    handle: ({ params, page }) => answer({ params, page, list: false }),
  }),
  defineRoute({
    method: 'get',
    path: '/open',
    otherPath: '/-/open',
    section: 'Instance',
    summary: 'Open to everybody',
    access: 'public',
    scopes: ['read_user'],
    returns: { 200: 'Thing' },
    handle: ({ params, page }) => answer({ params, page, list: false }),
  }),
];
