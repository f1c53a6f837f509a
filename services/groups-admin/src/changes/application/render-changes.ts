import type { Database } from '@switchyard/database';
import { isAppError } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { HookBody, RenderedHookBodies } from '@switchyard/protos/rpc/v1/hook_body';
import { logger } from '@switchyard/telemetry';
import { isForReceivers } from '../domain/change';
import { askAgainMs, batchSize, mostTries, type Owner, type PendingChange } from '../domain/pending-change';
import { type Changes, type PendingChanges, RenderedTooLate, type RenderHookBodies } from './change.ports';
import type { ChangeFollower } from './change-follower';

faultPoints.push('changes.rendered', 'changes.recorded', 'changes.committed');

/** What rendering works with. */
export interface RenderChangesEdges {
  readonly db: Pick<Database, 'transaction'>;
  readonly pending: PendingChanges;
  readonly changes: Changes;
  readonly followers: readonly ChangeFollower[];
  /** Counts one more event that was passed over. */
  readonly countPassedOver: () => void;
}

/** How one round ended: `idle` without an event that does not rest, `done` with some, `failed` where it has to be tried again later. */
export type Round = 'idle' | 'done' | 'failed';

/** Rolls a batch back that another process has worked off. */
class WorkedOff extends Error {}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : String(error);

/** What of a batch is recorded, in its order, and by project the part of the owner for which the rest of it waits. */
interface Answered {
  readonly ids: readonly number[];
  readonly bodies: readonly HookBody[];
  readonly away: ReadonlyMap<number, string>;
}

/** What the owner made of a batch. @throws Error when it left an event out */
function answered(batch: readonly PendingChange[], rendered: readonly RenderedHookBodies[]): Answered {
  const byEvent = new Map(rendered.map((one) => [one.eventId, one]));
  const away = new Map<number, string>();
  const ready = batch.flatMap(({ id, eventId, projectId }) => {
    const found = byEvent.get(eventId);
    if (found === undefined) throw new Error(`the owner answers nothing about the event ${eventId}`);
    if (found.away !== undefined && !away.has(projectId)) away.set(projectId, found.away);
    // What follows in a project waits as well, also where it is rendered.
    return away.has(projectId) ? [] : [{ id, bodies: found.bodies }];
  });
  return { ids: ready.map(({ id }) => id), bodies: ready.flatMap(({ bodies }) => bodies), away };
}

/**
 * Works off the events of one owner in their order. An owner that is away holds up its own events and no others, and a
 * part of it those of its projects: these rest until it renders one of them again. An
 * event that the owner refuses is found by halving the batch; after some tries it is recorded, and passed over. So is one
 * that is never rendered in time while the owner renders the next one.
 */
export function renderChanges(owner: Owner, render: RenderHookBodies, edges: RenderChangesEdges) {
  const { db, pending, changes, followers, countPassedOver } = edges;
  let size = batchSize;
  let askAgainAt = 0;
  /**
   * Where projects rest, the last event that was worked off: what waits before it rests, so a round does not read past
   * all of it. An event that got its id earlier and was stored later waits until the parts are asked again.
   */
  let after = 0;
  let rests = false;

  async function record({ ids, bodies, away }: Answered): Promise<void> {
    await db.transaction(async (tx) => {
      // Events are deleted with what they lead to: whoever comes second finds them gone, and changes nothing.
      if (!(await pending.take(tx, ids))) throw new WorkedOff();
      if (away.size > 0) await pending.rest(tx, owner, away);
      const placed = (await changes.append(tx, bodies)).filter(isForReceivers);
      if (placed.length > 0) for (const follow of followers) await follow(tx, placed);
      faultPoint('changes.recorded');
    });
    faultPoint('changes.committed');
    if (away.size > 0)
      logger.warn({ owner, away: [...new Set(away.values())] }, 'events wait for a part of their owner');
  }

  /** Wakes the projects of each part that is not away any more: one event shows whether it is. */
  async function askAgain(): Promise<void> {
    const isAway = async (event: PendingChange): Promise<boolean> => {
      try {
        return (await render([event]))[0]?.away !== undefined;
      } catch (error) {
        if (isAppError(error, 'unavailable')) throw error;
        return false;
      }
    };
    const parts = await pending.resting(owner);
    await Promise.all(
      parts.map(async ({ away, event }) => {
        if (event === undefined || !(await isAway(event))) await pending.wake(owner, away);
      }),
    );
    askAgainAt = performance.now() + askAgainMs;
    after = 0;
    rests = parts.length > 0;
  }

  /** Whether the owner renders the second event: then it is not away, and the first event is what takes too long. */
  async function rendersTheNext(): Promise<boolean> {
    const [, next] = await pending.oldest(owner, after, 2);
    // The last event holds up no other.
    if (next === undefined) return false;
    return render([next]).then(
      ([answer]) => answer?.away === undefined,
      (error) => !(error instanceof RenderedTooLate || isAppError(error, 'unavailable')),
    );
  }

  async function refused(batch: readonly PendingChange[], error: unknown): Promise<Round> {
    const [event] = batch;
    if (batch.length > 1 || event === undefined) {
      size = Math.ceil(batch.length / 2);
      return 'done';
    }
    if (event.tries + 1 < mostTries || (error instanceof RenderedTooLate && !(await rendersTheNext()))) {
      await pending.failed(event.id);
      return 'failed';
    }
    logger.error({ err: error, owner, event: event.eventId, type: event.type }, 'an event leads to no hook');
    await pending.passOver(owner, event, reasonOf(error));
    countPassedOver();
    return 'done';
  }

  /** Renders and records the oldest events. @throws AppError unavailable while the owner or the database is away */
  return async (): Promise<Round> => {
    if (performance.now() >= askAgainAt) await askAgain();
    const batch = await pending.oldest(owner, after, size);
    if (batch.length === 0) return 'idle';
    try {
      const rendered = await render(batch);
      faultPoint('changes.rendered');
      const done = answered(batch, rendered);
      await record(done);
      rests ||= done.away.size > 0;
      if (rests) after = batch.at(-1)?.id ?? after;
      size = Math.min(size * 2, batchSize);
      return 'done';
    } catch (error) {
      if (error instanceof WorkedOff) return 'done';
      if (isAppError(error, 'unavailable')) throw error;
      return refused(batch, error);
    }
  };
}
