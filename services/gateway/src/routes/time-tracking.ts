import { TimeTracking_Kind as Kind, type TimeTracking } from '@switchyard/protos/rpc/v1/time_tracking';
import type { z } from 'zod';
import type { ProjectAbility } from '../http/abilities';
import { integer, text } from '../http/params';
import type { Section } from '../http/reference/sections';
import { type Answer, defineRoute, type HandlerContext, type Route } from '../http/route';

type Call = HandlerContext<z.ZodRawShape, z.ZodRawShape, unknown>['call'];
type Key = { readonly projectId: number; readonly iid: number };

/** A kind of object whose time is tracked. */
interface TrackedKind {
  /** Path of the object. */
  readonly path: string;
  readonly section: Section;
  /** Parameter of the path that holds its number within the project. */
  readonly iid: string;
  /** What a summary calls it. */
  readonly name: string;
  readonly read: ProjectAbility;
  readonly write: ProjectAbility;
  /** Component of the reply. */
  readonly component: string;
  stats(call: Call, key: Key): Promise<Answer>;
  track(call: Call, request: Key & { readonly tracking: TimeTracking }): Promise<Answer>;
}

const durations = [
  { at: 'time_estimate', kind: Kind.KIND_ESTIMATE, what: 'Estimate the time of', status: 200 },
  { at: 'add_spent_time', kind: Kind.KIND_SPEND, what: 'Add time spent on', status: 201 },
] as const;

const resets = [
  { at: 'reset_time_estimate', kind: Kind.KIND_RESET_ESTIMATE, what: 'Reset the estimate of' },
  { at: 'reset_spent_time', kind: Kind.KIND_RESET_SPENT, what: 'Reset the time spent on' },
] as const;

/** The endpoints of time tracking (G-4.2-1, G-7-9), alike for every kind. */
export function timeTrackingRoutes(tracked: TrackedKind): Route[] {
  const { path, section, name, component, stats, track } = tracked;
  const path_params = { [tracked.iid]: integer() };
  const keyOf = (access: { id: number }, at: Record<string, unknown>): Key => ({
    projectId: access.id,
    iid: at[tracked.iid] as number,
  });
  const write = { project: tracked.write };
  return [
    defineRoute({
      method: 'get',
      path: `${path}/time_stats`,
      section,
      summary: `Get the times of ${name}`,
      access: { project: tracked.read },
      path_params,
      returns: { 200: component },
      handle: ({ access, path: at, call }) => stats(call, keyOf(access, at)),
    }),
    ...durations.map(({ at, kind, what, status }) =>
      defineRoute({
        method: 'post',
        path: `${path}/${at}`,
        section,
        summary: `${what} ${name}`,
        access: write,
        path_params,
        params: { duration: text({ notEmpty: true }), summary: text().optional() },
        returns: { [status]: component },
        handle: ({ access, path: of, params, call }) =>
          track(call, { ...keyOf(access, of), tracking: { kind, duration: params.duration } }),
      }),
    ),
    ...resets.map(({ at, kind, what }) =>
      defineRoute({
        method: 'post',
        path: `${path}/${at}`,
        section,
        summary: `${what} ${name}`,
        access: write,
        path_params,
        returns: { 200: component },
        handle: ({ access, path: of, call }) => track(call, { ...keyOf(access, of), tracking: { kind, duration: '' } }),
      }),
    ),
  ];
}
