import type { PageRequest } from '@switchyard/protos/rpc/v1/representation';
import { TimeTracking_Kind as Kind, type TimeTracking } from '@switchyard/protos/rpc/v1/time_tracking';
import type { z } from 'zod';
import type { ProjectAbility } from '../http/abilities';
import { documented, integer, text } from '../http/params';
import type { Section } from '../http/reference/sections';
import { type Answer, defineRoute, type HandlerContext, type Route } from '../http/route';
import { atMost } from './field-facts';

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
  timelogs(call: Call, request: Key & { readonly page: PageRequest }): Promise<Answer>;
  deleteTimelog(call: Call, request: Key & { readonly timelogId: number }): Promise<Answer>;
}

const resets = [
  { at: 'reset_time_estimate', kind: Kind.KIND_RESET_ESTIMATE, what: 'Reset the estimate of' },
  { at: 'reset_spent_time', kind: Kind.KIND_RESET_SPENT, what: 'Reset the time spent on' },
] as const;

/** The endpoints of time tracking (G-4.2-1, G-7-9), alike for every kind. */
export function timeTrackingRoutes(tracked: TrackedKind): Route[] {
  const { path, section, name, component, stats, track, timelogs, deleteTimelog } = tracked;
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
    defineRoute({
      method: 'post',
      path: `${path}/time_estimate`,
      section,
      summary: `Estimate the time of ${name}`,
      access: write,
      path_params,
      params: { duration: text({ notEmpty: true }) },
      returns: { 200: component },
      handle: ({ access, path: of, params, call }) =>
        track(call, { ...keyOf(access, of), tracking: { kind: Kind.KIND_ESTIMATE, duration: params.duration } }),
    }),
    defineRoute({
      method: 'post',
      path: `${path}/add_spent_time`,
      section,
      summary: `Add time spent on ${name}`,
      docs: {
        description: `Add time spent on ${name}, or subtract a negative duration. It is listed among the timelogs.`,
      },
      access: write,
      path_params,
      params: { duration: text({ notEmpty: true }), summary: documented(text(), atMost(255)).optional() },
      returns: { 201: component },
      handle: ({ access, path: of, params: { duration, summary }, call }) =>
        track(call, { ...keyOf(access, of), tracking: { kind: Kind.KIND_SPEND, duration, summary } }),
    }),
    defineRoute({
      method: 'get',
      path: `${path}/timelogs`,
      section,
      summary: `List the entries of time spent on ${name}`,
      docs: { description: `List the entries of time spent on ${name}, the latest day first.` },
      access: { project: tracked.read },
      path_params,
      list: { orderBy: [] },
      returns: { 200: ['Timelog'] },
      handle: ({ access, path: at, page, call }) => timelogs(call, { ...keyOf(access, at), page }),
    }),
    defineRoute({
      method: 'delete',
      path: `${path}/timelogs/:timelog_id`,
      section,
      summary: `Delete an entry of time spent on ${name}`,
      docs: {
        description: `Delete an entry of one's own, or as a Maintainer of others, and take it out of the time spent on ${name}.`,
      },
      access: write,
      path_params: { ...path_params, timelog_id: integer() },
      returns: { 204: undefined },
      handle: ({ access, path: at, call }) =>
        deleteTimelog(call, { ...keyOf(access, at), timelogId: (at as Record<string, number>).timelog_id ?? 0 }),
    }),
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
