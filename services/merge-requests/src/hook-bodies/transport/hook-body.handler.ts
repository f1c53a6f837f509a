import { AppError } from '@switchyard/errors';
import { HookBodyServiceService } from '@switchyard/protos/merge_requests/v1/hook_body';
import type { HookBody, RenderedHookBodies } from '@switchyard/protos/rpc/v1/hook_body';
import { levels } from '@switchyard/rights';
import { implement } from '@switchyard/rpc';
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
}

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
export function hookBodyHandler({ gather, gatherParts, externalUrl, clock }: HookBodyEdges) {
  return implement(
    HookBodyServiceService,
    {
      async renderHookBodies({ events }) {
        if (events.length > maxEvents) throw new AppError('bad_request', `at most ${maxEvents} events at once`);
        const told = events.map((event) => ({ eventId: event.id, hooks: hookEventsOf(event) }));
        const facts = await gather(told.flatMap(({ hooks }) => hooks));
        const rendering = { facts, externalUrl, now: clock() };
        return {
          rendered: told.map(
            ({ eventId, hooks }): RenderedHookBodies => ({
              eventId,
              bodies: hooks.flatMap((hook, index) => bodyOf(hook, index, rendering)),
            }),
          ),
        };
      },

      async renderHookParts({ mergeRequestIds, commits }) {
        if (Math.max(mergeRequestIds.length, commits.length) > maxEvents)
          throw new AppError('bad_request', `at most ${maxEvents} parts at once`);
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
      },
    },
    { renderHookBodies: { callers: ['groups-admin'] }, renderHookParts: { callers: ['collaboration'] } },
  );
}
