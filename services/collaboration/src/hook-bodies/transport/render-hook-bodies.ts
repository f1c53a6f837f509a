import { badRequest } from '@switchyard/errors';
import { decodeBody, issueEvents, noteEvents } from '@switchyard/events';
import type { HookEvent as EncodedEvent, RenderedHookBodies } from '@switchyard/protos/rpc/v1/hook_body';
import type { HookFacts, Named } from '../domain/hook-facts';
import { presentHookBodies } from './hook-body.mapper';
import { type HookEvent, namedIn } from './hook-event';

/** Events of one call at the most (see the proto). */
const maxEvents = 100;

function decode({ type, body }: EncodedEvent): HookEvent {
  if (type === issueEvents.type) return { of: 'issue', event: decodeBody(issueEvents, body) };
  if (type === noteEvents.type) return { of: 'note', event: decodeBody(noteEvents, body) };
  throw badRequest(`no hook body is known for ${type}`);
}

/** What rendering needs. */
export interface RenderEdges {
  readonly factsOf: (named: readonly Named[]) => Promise<HookFacts>;
  readonly externalUrl: string;
  /** Waits until the replica of the directory knows whom the events name. */
  readonly ensureDirectory: (sequence: number) => Promise<void>;
}

/** Renders events of this service (G-6-4), by a constant number of statements. @throws AppError bad_request */
export const renderHookBodies =
  ({ factsOf, externalUrl, ensureDirectory }: RenderEdges) =>
  async (events: readonly EncodedEvent[]): Promise<RenderedHookBodies[]> => {
    if (events.length > maxEvents) throw badRequest(`at most ${maxEvents} events are rendered at a time`);
    const decoded = events.map((event) => ({ eventId: event.id, given: decode(event) }));
    await ensureDirectory(Math.max(0, ...decoded.map(({ given }) => given.event.directorySequence)));
    const facts = await factsOf(decoded.map(({ given }) => namedIn(given)));
    return decoded.map(({ eventId, given }) => ({
      eventId,
      bodies: presentHookBodies(eventId, given, facts, externalUrl),
    }));
  };
