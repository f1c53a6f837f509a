import { ChangeServiceService, type WatchChangesResponse } from '@switchyard/protos/groups_admin/v1/change';
import type { EachEvent } from '../../http/event-streams/event-streams';
import { documented, integer, text } from '../../http/params';
import { defineRoute } from '../../http/route';

const after = documented(text({ max: 16 }), {
  description: 'The cursor after which to begin: `cursor` of a page, of a change, or of `change` in a hook body.',
}).optional();

const order =
  'What webhooks carry, in one order for the whole instance, for 7 days. What the caller may not read is left out: confidential issues and internal notes, features that are closed, and what lies in projects and groups that are not seen. See [the change feed](docs/change-feed.md).';

async function* eventsOf(steps: AsyncIterable<WatchChangesResponse>): AsyncIterable<EachEvent> {
  for await (const { cursor, json } of steps)
    yield json.length > 0
      ? { event: 'change', id: cursor, json }
      : { event: 'cursor', id: cursor, json: Buffer.from(JSON.stringify({ cursor })) };
}

/** The feed of a project or group, and the same as a stream. */
function feedRoutes(kind: 'project' | 'group') {
  const path = kind === 'project' ? ('/projects/:id/changes' as const) : ('/groups/:id/changes' as const);
  const access = kind === 'project' ? ({ project: 'read_project' } as const) : ({ group: 'read_group' } as const);
  const scope = (id: number) => ({ of: { $case: kind === 'project' ? 'projectId' : 'groupId', value: id } as const });
  const below = kind === 'group' ? ', and of what lies below it' : '';
  return [
    defineRoute({
      method: 'get',
      path,
      section: 'Changes',
      summary: `List the changes of a ${kind}`,
      docs: {
        description: `List what happened, the oldest first${below}. ${order} Go on with \`after\` = \`cursor\` of the page, which is there also when the page is empty; \`more\` says whether to do so at once. A cursor of changes that are no longer kept is answered with 410, and the cursor from which to go on.`,
        fails: [410],
      },
      access,
      params: {
        after,
        per_page: documented(integer({ min: 1, max: 100 }), {
          description: 'Changes of a page at the most; 100 unless given.',
        }).optional(),
      },
      returns: { 200: 'Changes' },
      handle: ({ params, access: target, call }) =>
        call(ChangeServiceService).listChanges({
          scope: scope(target.id),
          after: params.after ?? '',
          limit: params.per_page ?? 100,
        }),
    }),
    defineRoute({
      method: 'get',
      path: `${path}/stream`,
      section: 'Changes',
      summary: `Follow the changes of a ${kind}`,
      docs: {
        description: `Server-sent events: first an event \`cursor\`, then each change as one event \`change\`, in order, and an event \`cursor\` every minute without a change. ${order} The id of an event is its cursor: a reader that comes again with \`Last-Event-ID\` misses nothing. Without it, and without \`after\`, the stream begins now. A comment is sent every 15 seconds. The stream ends when its caller may no longer read the ${kind}, after an hour, and when the server restarts; a reader that does not read is disconnected.`,
        fails: [410, 429, 503],
      },
      access,
      params: { after },
      events: 'change',
      returns: { 200: 'Change' },
      handle: async ({ params, access: target, lastEventId }) => ({
        follow: {
          each: (call) =>
            eventsOf(
              call(ChangeServiceService).watchChanges({
                scope: scope(target.id),
                after: lastEventId || (params.after ?? ''),
              }),
            ),
        },
      }),
    }),
  ];
}

/** The change feed: what left the house, for receivers that were away. */
export const changeRoutes = [...feedRoutes('project'), ...feedRoutes('group')];
