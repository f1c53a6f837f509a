import type { HookBody } from '@switchyard/protos/rpc/v1/hook_body';
import type { HookFacts } from '../domain/hook-facts';
import { epicBodies } from './epic-body';
import type { HookDraft } from './hook-draft';
import { type HookEvent, isCarried } from './hook-event';
import { issueBodies } from './issue-body';
import { emojiBodies, noteBodies } from './note-body';

function draftsOf(given: HookEvent, facts: HookFacts, externalUrl: string): HookDraft[] {
  if (!isCarried(given)) return [];
  if (given.of === 'epic') return epicBodies(given.event, facts, externalUrl);
  if (given.of === 'issue') return issueBodies(given.event, facts, externalUrl);
  return given.event.fact?.$case === 'reacted'
    ? emojiBodies(given.event, facts, externalUrl)
    : noteBodies(given.event, facts, externalUrl);
}

/** The bodies of an event; none for what no hook carries, and for what is gone. */
export const presentHookBodies = (
  eventId: string,
  given: HookEvent,
  facts: HookFacts,
  externalUrl: string,
): HookBody[] =>
  draftsOf(given, facts, externalUrl).map(({ body, audienceIds, ...draft }) => ({
    groupId: 0,
    ...draft,
    ref: '',
    actorId: given.event.actorId,
    occurredAt: given.event.occurredAt,
    json: Buffer.from(JSON.stringify(body)),
    audienceIds: [...audienceIds],
    eventId,
  }));
