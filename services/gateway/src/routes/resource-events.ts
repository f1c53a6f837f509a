import type { z } from 'zod';
import type { ProjectAbility } from '../http/abilities';
import { integer } from '../http/params';
import type { Section } from '../http/reference/sections';
import { type Answer, defineRoute, type HandlerContext, type Route } from '../http/route';

type Context = HandlerContext<z.ZodRawShape, z.ZodRawShape, unknown>;

/** Whose events: their number within the project, and the kind. */
interface Events {
  readonly projectId: number;
  readonly iid: number;
  readonly kind: string;
}

/** An issue or a merge request, whose state, labels and milestone have events. */
interface EventedKind {
  /** Path of the object. */
  readonly path: string;
  readonly section: Section;
  /** Parameter of the path that holds its number within the project. */
  readonly iid: string;
  /** What a summary calls it. */
  readonly name: string;
  readonly read: ProjectAbility;
  list(call: Context['call'], request: Events & Pick<Context, 'page'>): Promise<Answer>;
  get(call: Context['call'], request: Events & { readonly eventId: number }): Promise<Answer>;
}

const kinds = [
  { kind: 'state', of: 'the state', component: 'ResourceStateEvent' },
  { kind: 'label', of: 'the labels', component: 'ResourceLabelEvent' },
  { kind: 'milestone', of: 'the milestone', component: 'ResourceMilestoneEvent' },
] as const;

/** The endpoints of resource events (G-4.2-1), alike for every kind of object. */
export const resourceEventRoutes = ({ path, section, iid, name, read, list, get }: EventedKind): Route[] =>
  kinds.flatMap(({ kind, of, component }) => {
    const path_params = { [iid]: integer() };
    const eventsOf = (access: { id: number }, at: Record<string, unknown>): Events => ({
      projectId: access.id,
      iid: at[iid] as number,
      kind,
    });
    return [
      defineRoute({
        method: 'get',
        path: `${path}/resource_${kind}_events`,
        section,
        summary: `List what became of ${of} of ${name}`,
        access: { project: read },
        path_params,
        // One order, the oldest first.
        list: { orderBy: [] },
        returns: { 200: [component] },
        handle: ({ path: at, access, page, call }) => list(call, { ...eventsOf(access, at), page }),
      }),
      defineRoute({
        method: 'get',
        path: `${path}/resource_${kind}_events/:event_id`,
        section,
        summary: `Get an event of ${of} of ${name}`,
        access: { project: read },
        path_params: { ...path_params, event_id: integer() },
        returns: { 200: component },
        handle: ({ path: at, access, call }) =>
          get(call, { ...eventsOf(access, at), eventId: (at as Record<string, number>).event_id ?? 0 }),
      }),
    ];
  });
