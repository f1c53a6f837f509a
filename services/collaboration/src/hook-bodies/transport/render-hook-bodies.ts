import { badRequest } from '@switchyard/errors';
import { decodeBody, epicEvents, issueEvents, noteEvents } from '@switchyard/events';
import type { HookEvent as EncodedEvent, RenderedHookBodies } from '@switchyard/protos/rpc/v1/hook_body';
import { logger } from '@switchyard/telemetry';
import { commitName, type HookFacts, type Named, type NoteableParts } from '../domain/hook-facts';
import { presentHookBodies } from './hook-body.mapper';
import { type HookEvent, namedIn } from './hook-event';

/** Events of one call at the most (see the proto). */
const maxEvents = 100;

function decode({ type, body }: EncodedEvent): HookEvent {
  if (type === issueEvents.type) return { of: 'issue', event: decodeBody(issueEvents, body) };
  if (type === epicEvents.type) return { of: 'epic', event: decodeBody(epicEvents, body) };
  if (type === noteEvents.type) return { of: 'note', event: decodeBody(noteEvents, body) };
  throw badRequest(`no hook body is known for ${type}`);
}

/** What rendering needs. */
export interface RenderEdges {
  readonly factsOf: (named: readonly Named[]) => Promise<Omit<HookFacts, 'parts'>>;
  /** Asks the owner of merge requests and commits for what bodies show of them. */
  readonly partsOf: (named: Pick<Named, 'mergeRequests' | 'commits'>) => Promise<NoteableParts>;
  readonly externalUrl: string;
  /** Waits until the replica of the directory knows whom the events name. */
  readonly ensureDirectory: (sequence: number) => Promise<void>;
}

const noParts: NoteableParts = { mergeRequests: new Map(), commits: new Map() };

/** What all events of a batch name of another service, each once. */
const namedElsewhere = (all: readonly Named[]): Pick<Named, 'mergeRequests' | 'commits'> => ({
  mergeRequests: [...new Set(all.flatMap(({ mergeRequests }) => mergeRequests))],
  commits: [...new Map(all.flatMap(({ commits }) => commits).map((one) => [commitName(one), one])).values()],
});

/**
 * Renders events of this service (G-6-4), by a constant number of statements and at the most one call. While the owner
 * of merge requests does not answer, bodies name them as the events do: issues do not wait for it.
 * @throws AppError bad_request
 */
export const renderHookBodies =
  ({ factsOf, partsOf, externalUrl, ensureDirectory }: RenderEdges) =>
  async (events: readonly EncodedEvent[]): Promise<RenderedHookBodies[]> => {
    if (events.length > maxEvents) throw badRequest(`at most ${maxEvents} events are rendered at a time`);
    const decoded = events.map((event) => ({ eventId: event.id, given: decode(event) }));
    await ensureDirectory(Math.max(0, ...decoded.map(({ given }) => given.event.directorySequence)));
    const named = decoded.map(({ given }) => namedIn(given));
    const elsewhere = namedElsewhere(named);
    const isElsewhere = elsewhere.mergeRequests.length + elsewhere.commits.length > 0;
    const [known, parts] = await Promise.all([
      factsOf(named),
      isElsewhere
        ? partsOf(elsewhere).catch((error: unknown) => {
            logger.warn({ err: error }, 'hook bodies of notes are rendered without their merge requests');
            return noParts;
          })
        : noParts,
    ]);
    const facts = { ...known, parts };
    return decoded.map(({ eventId, given }) => ({
      eventId,
      bodies: presentHookBodies(eventId, given, facts, externalUrl),
    }));
  };
