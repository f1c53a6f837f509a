import type { HookBody } from '@switchyard/protos/rpc/v1/hook_body';
import type { HookDraft } from '../domain/hook-draft';
import type { HookFacts } from '../domain/hook-facts';
import type { HookEvent } from './hook-event';
import { accessRequestBodies, memberBodies } from './member-body';
import { milestoneBodies } from './milestone-body';
import { groupBodies, projectBodies } from './place-body';
import { keyBodies, userBodies } from './user-body';

function draftsOf(given: HookEvent, facts: HookFacts, externalUrl: string): HookDraft[] {
  switch (given.of) {
    case 'membership':
      return memberBodies(given.event, facts);
    case 'access_request':
      return accessRequestBodies(given.event, facts);
    case 'project':
      return projectBodies(given.event, facts);
    case 'group':
      return groupBodies(given.event, facts);
    case 'milestone':
      return milestoneBodies(given.event, facts, externalUrl);
    case 'user':
      return userBodies(given.event, facts);
    case 'key':
      return keyBodies(given.event, facts);
  }
}

/** The bodies of an event, in their order; none for what no hook carries. */
export const presentHookBodies = (
  eventId: string,
  given: HookEvent,
  facts: HookFacts,
  externalUrl: string,
): HookBody[] =>
  draftsOf(given, facts, externalUrl).map((draft, index) => ({
    kind: draft.kind,
    confidential: false,
    projectId: draft.projectId ?? 0,
    groupId: draft.groupId ?? 0,
    ref: '',
    objectKey: draft.objectKey,
    actorId: given.event.actorId,
    action: draft.action,
    occurredAt: given.event.occurredAt,
    json: Buffer.from(JSON.stringify(draft.body)),
    authorId: 0,
    audienceIds: [],
    eventId: index === 0 ? eventId : `${eventId}#${index}`,
    feature: '',
    leastLevel: draft.leastLevel ?? 0,
  }));
