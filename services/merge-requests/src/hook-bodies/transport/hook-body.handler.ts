import { AppError } from '@switchyard/errors';
import {
  HookBodyServiceService,
  type RenderHookPartsRequest,
  type RenderHookPartsResponse,
} from '@switchyard/protos/merge_requests/v1/hook_body';
import type { HookBody, RenderedHookBodies, RenderHookBodiesRequest } from '@switchyard/protos/rpc/v1/hook_body';
import { levels } from '@switchyard/rights';
import { type CallContext, implement } from '@switchyard/rpc';
import { inParts, type ProcessesOf, serviceName } from '../../repositories';
import type { GatherHookFacts } from '../application/gather-hook-facts';
import type { GatherHookParts } from '../application/gather-hook-parts';
import type { HookEvent } from '../domain/hook-event';
import { presentHook } from '../presenters/hook.presenter';
import { commitPart, type HookRendering } from '../presenters/hook-parts';
import { presentMergeRequestPart } from '../presenters/merge-request-hook.presenter';
import { hookEventsOf } from './hook-event.mapper';

/** Events, and parts of a kind, rendered at once (see the proto). */
const maxEvents = 100;

/** What hook bodies are rendered with. */
export interface HookBodyEdges {
  readonly gather: GatherHookFacts;
  readonly gatherParts: GatherHookParts;
  readonly externalUrl: string;
  readonly clock: () => Date;
  readonly processesOf: ProcessesOf | undefined;
  /** Projects of merge requests by their ids; one that is gone is missing. */
  readonly projectsOf: (mergeRequestIds: readonly number[]) => Promise<ReadonlyMap<number, number>>;
}

/** An event of a request, and what hooks say of it. */
interface ToldEvent {
  readonly event: RenderHookBodiesRequest['events'][number];
  readonly hooks: readonly HookEvent[];
}

/** Milliseconds that another process has: no less than the caller, for whom what is too late is not what is away. */
const timeoutMs = 12_000;

/** One process asks another for itself, also again. */
const asService = ({ requestId, signal }: CallContext) => ({ requestId, signal, timeoutMs, idempotent: true });

/** What stands for events while the process that renders them is away. */
const waiting = (events: readonly ToldEvent[], { http }: { readonly http: string }): RenderedHookBodies[] =>
  events.map(({ event }) => ({ eventId: event.id, bodies: [], away: http }));

const requestOf = (
  wanted: readonly { readonly id?: number; readonly commit?: RenderHookPartsRequest['commits'][number] }[],
): RenderHookPartsRequest => ({
  mergeRequestIds: wanted.flatMap(({ id }) => id ?? []),
  commits: wanted.flatMap(({ commit }) => commit ?? []),
});

function bodyOf(event: HookEvent, index: number, rendering: HookRendering): HookBody[] {
  const hook = presentHook(event, rendering);
  if (hook === undefined) return [];
  const { kind, action, ref, objectKey, feature, json } = hook;
  const isPrivate = rendering.facts.projects.get(event.projectId)?.visibility === 'private';
  return [
    {
      ...{ kind, ref, objectKey, action, feature },
      confidential: false,
      projectId: event.projectId,
      groupId: 0,
      actorId: event.actorId,
      occurredAt: event.occurredAt,
      json: Buffer.from(JSON.stringify(json)),
      authorId: 0,
      audienceIds: [],
      eventId: index === 0 ? event.eventId : `${event.eventId}#${index}`,
      // Code and what is made of it is for Reporters where the project is private.
      leastLevel: isPrivate ? levels.reporter : 0,
    },
  ];
}

/** gRPC side of hook bodies (see the proto). */
export function hookBodyHandler({ gather, gatherParts, externalUrl, clock, processesOf, projectsOf }: HookBodyEdges) {
  async function bodiesOf(told: readonly ToldEvent[]): Promise<RenderedHookBodies[]> {
    const facts = await gather(told.flatMap(({ hooks }) => hooks));
    const rendering = { facts, externalUrl, now: clock() };
    return told.map(({ event, hooks }) => ({
      eventId: event.id,
      bodies: hooks.flatMap((hook, index) => bodyOf(hook, index, rendering)),
    }));
  }

  async function partsOf({ mergeRequestIds, commits }: RenderHookPartsRequest): Promise<RenderHookPartsResponse> {
    const facts = await gatherParts(mergeRequestIds, commits);
    const rendering = { facts, externalUrl, now: clock() };
    return {
      mergeRequests: [...facts.mergeRequests].flatMap(([id, found]) => {
        const part = presentMergeRequestPart(found, rendering);
        return part === undefined ? [] : { id, json: Buffer.from(JSON.stringify(part)) };
      }),
      commits: commits.flatMap(({ projectId, sha }) => {
        const project = facts.projects.get(projectId);
        const commit = facts.commits.get(projectId)?.commits.get(sha);
        if (project === undefined || commit === undefined) return [];
        return { projectId, sha, json: Buffer.from(JSON.stringify(commitPart(commit, project, externalUrl))) };
      }),
    };
  }

  return implement(
    HookBodyServiceService,
    {
      async renderHookBodies({ events, allowAway = false }, context) {
        if (events.length > maxEvents) throw new AppError('bad_request', `at most ${maxEvents} events at once`);
        const told = events.map((event) => ({ event, hooks: hookEventsOf(event) }));
        const parts = await inParts(context, processesOf, told, {
          projectOf: ({ hooks }) => hooks[0]?.projectId ?? 0,
          here: bodiesOf,
          there: async (sibling, own) => {
            const client = sibling.client(HookBodyServiceService);
            return (await client.renderHookBodies({ events: own.map(({ event }) => event) }, asService(context)))
              .rendered;
          },
          ...(allowAway && { away: waiting }),
        });
        const rendered = new Map(parts.flat().map((one) => [one.eventId, one]));
        return { rendered: events.flatMap(({ id }) => rendered.get(id) ?? []) };
      },

      async renderHookParts({ mergeRequestIds, commits }, context) {
        if (Math.max(mergeRequestIds.length, commits.length) > maxEvents)
          throw new AppError('bad_request', `at most ${maxEvents} parts at once`);
        const projects = processesOf === undefined ? undefined : await projectsOf(mergeRequestIds);
        const wanted = [
          ...mergeRequestIds.map((id) => ({ id, projectId: projects?.get(id) ?? 0 })),
          ...commits.map((commit) => ({ commit, projectId: commit.projectId })),
        ];
        const parts = await inParts(context, processesOf, wanted, {
          projectOf: ({ projectId }) => projectId,
          here: (own) => partsOf(requestOf(own)),
          there: (sibling, own) =>
            sibling.client(HookBodyServiceService).renderHookParts(requestOf(own), asService(context)),
          away: () => ({ mergeRequests: [], commits: [] }),
        });
        return {
          mergeRequests: parts.flatMap((part) => part.mergeRequests),
          commits: parts.flatMap((part) => part.commits),
        };
      },
    },
    {
      renderHookBodies: { callers: ['groups-admin', serviceName] },
      renderHookParts: { callers: ['collaboration', serviceName] },
    },
  );
}
