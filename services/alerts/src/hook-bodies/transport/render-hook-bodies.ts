import { badRequest } from '@switchyard/errors';
import { alertEvents, decodeBody } from '@switchyard/events';
import type { AlertEvent } from '@switchyard/protos/alerts/events/v1/alert_event';
import type { HookEvent, RenderedHookBodies } from '@switchyard/protos/rpc/v1/hook_body';
import type { HookFacts, Named } from '../domain/hook-facts';
import { presentHookBodies } from './hook-body.mapper';

/** Events of one call at the most (see the proto). */
const maxEvents = 100;

function decode({ type, body }: HookEvent): AlertEvent {
  if (type !== alertEvents.type) throw badRequest(`no hook body is known for ${type}`);
  return decodeBody(alertEvents, body);
}

/** Whom and what the bodies of an event need. */
const namedIn = ({ alert, actorId, fact }: AlertEvent): Named => ({
  alertId: alert?.id ?? 0,
  projectId: alert?.projectId ?? 0,
  users: fact?.$case === 'assigned' ? [actorId, ...fact.value.removedAssigneeIds] : [actorId],
});

/** What rendering needs. */
export interface RenderEdges {
  readonly factsOf: (named: readonly Named[]) => Promise<HookFacts>;
  readonly externalUrl: string;
  /** Waits until the replica of the directory knows whom the events name. */
  readonly ensureDirectory: (sequence: number) => Promise<void>;
}

/** Renders events of alerts (G-6-4), by a constant number of statements. @throws AppError bad_request */
export const renderHookBodies =
  ({ factsOf, externalUrl, ensureDirectory }: RenderEdges) =>
  async (events: readonly HookEvent[]): Promise<RenderedHookBodies[]> => {
    if (events.length > maxEvents) throw badRequest(`at most ${maxEvents} events are rendered at a time`);
    const decoded = events.map(decode);
    await ensureDirectory(Math.max(0, ...decoded.map(({ directorySequence }) => directorySequence)));
    const facts = await factsOf(decoded.map(namedIn));
    return events.map(({ id: eventId }, index) => ({
      eventId,
      bodies: presentHookBodies(eventId, decoded[index] as AlertEvent, facts, externalUrl),
    }));
  };
