import { type Repeating, repeat } from '@switchyard/background';
import type { Database } from '@switchyard/database';
import { isAppError } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { Logger } from '@switchyard/telemetry';
import { type NewLedgerEntry, writeEntries } from '../../ledger';
import { audiences } from '../domain/audience';
import { concernedIds, type Decision, decide, reachesByChoice } from '../domain/decide';
import { placeName, type Subject } from '../domain/notification-event';
import type { InvolvedPeople, WaitingEvent } from '../domain/stored';
import type { AudienceStore, GatheringMails, NotificationEventStore } from './notification.ports';

faultPoints.push('notification.decided', 'notification.committed');

/** Events that are taken at once. */
const batch = 20;

/** Seconds that a taken event is left to its process: longer than all of them need. */
const lease = 120;

/** Milliseconds between two looks for events whose pause has ended; those just kept are seen at once. */
const interval = 5_000;

/** Tries after which an event that fails for another reason than a service that is away is given up. */
const tries = 10;

/** Milliseconds between two sweeps. */
const sweepInterval = 3_600_000;

/** Hour of the day, UTC, at which digests go out. */
const digestHour = 6;

/** What deciding needs. */
export interface Deciding {
  readonly db: Database;
  readonly events: NotificationEventStore;
  /** Outcomes of pipelines, as far as old ones are forgotten here. */
  readonly outcomes: { forget(db: Database, limit: number): Promise<number> };
  readonly audience: AudienceStore;
  readonly mails: GatheringMails;
  /** Who has to do with a merge request; undefined when it is gone. */
  readonly mergeRequestPeople: (id: number) => Promise<InvolvedPeople | undefined>;
  /** Seconds for which a mail gathers. */
  readonly windowSeconds: number;
  readonly clock: () => Date;
  readonly log: Logger;
}

const nobody: InvolvedPeople = {
  authorId: 0,
  assigneeIds: [],
  reviewerIds: [],
  participantIds: [],
  subscribedIds: [],
  unsubscribedIds: [],
  text: '',
};

/** When the digest of what happens at `now` goes out. */
export function nextDigest(now: Date): Date {
  const at = new Date(now);
  at.setUTCHours(digestHour, 0, 0, 0);
  if (at <= now) at.setUTCDate(at.getUTCDate() + 1);
  return at;
}

function peopleOf({ db, audience, mergeRequestPeople }: Deciding, subject: Subject) {
  if (subject.type === 'MergeRequest') return mergeRequestPeople(subject.id);
  if (subject.type === 'Pipeline' || subject.type === 'Project') return nobody;
  return audience.involved(db, subject);
}

const entryOf = (
  { action, subject }: WaitingEvent,
  { userId, outcome, rule, detail }: Decision,
  mails: ReadonlyMap<number, number>,
): NewLedgerEntry => ({
  userId,
  projectId: subject.projectId,
  groupId: subject.groupId ?? 0,
  target: subject,
  event: action,
  channel: 'mail',
  decision: outcome === 'none' ? 'skip' : outcome === 'digest' ? 'digest' : 'send',
  rule,
  detail,
  mailId: mails.get(userId),
});

/**
 * Decides who gets a mail about one event: a fixed number of statements and at most one call, whatever the number of
 * users. Mails, ledger and the mark of the event commit together.
 */
export async function decideEvent(edges: Deciding, event: WaitingEvent): Promise<void> {
  const { db, events, audience, mails, windowSeconds, clock } = edges;
  const { subject, facts } = event;
  const involved = await peopleOf(edges, subject);
  const place = (await audience.places(db, [subject])).get(placeName(subject));
  await db.transaction(async (tx) => {
    if (!(await events.decided(tx, event.id, involved?.text ?? ''))) return;
    if (involved === undefined || place === undefined) return;
    const wanted = audiences[event.action];
    const people = {
      ...involved,
      mentionedIds: await audience.mentioned(tx, facts.mentions ?? [], subject, event.actorId),
      memberIds: wanted.of === 'members' ? await audience.members(tx, subject.projectId) : [],
    };
    const owner = await audience.recipients(tx, wanted.of === 'owner' && facts.ownerId ? [facts.ownerId] : []);
    const choosers = reachesByChoice(wanted, owner[0]?.bot === true)
      ? await audience.choosers(tx, subject.projectId, place.groupIds)
      : [];
    const ids = [...new Set([...concernedIds(event, people), ...choosers])];
    const decisions = decide({
      event,
      people,
      groupIds: place.groupIds,
      settings: await audience.settings(tx, { projectIds: [subject.projectId], groupIds: place.groupIds }, ids),
      recipients: await audience.recipients(tx, ids),
      readers: await audience.readers(tx, subject, facts.noteId, ids),
      silencedBy: place.silencedBy,
    });
    const when = { windowSeconds, digestAt: nextDigest(clock()) };
    const sent = decisions.filter(({ outcome }) => outcome !== 'none');
    const queued = await mails.add(tx, event, sent, when);
    await writeEntries(
      tx,
      decisions.map((decision) => entryOf(event, decision, queued)),
    );
    faultPoint('notification.decided');
    tx.afterCommit(() => faultPoint('notification.committed'));
  });
}

async function tryDeciding(edges: Deciding, event: WaitingEvent): Promise<void> {
  const { db, events, log } = edges;
  try {
    await decideEvent(edges, event);
  } catch (error) {
    log.warn({ err: error, event: event.id, attempts: event.attempts }, 'who gets a mail could not be decided');
    // An owner that is away does not count against the event.
    if (event.attempts >= tries && !isAppError(error, 'unavailable')) await events.giveUp(db, event.id);
    else await events.putOff(db, event.id, Math.min(2 ** Math.min(event.attempts, 8), 60));
  }
}

/** Decides what waits, over and over, beside everything else. */
export function decideEvents(edges: Deciding): { close(): Promise<void> } {
  const { db, events, outcomes } = edges;
  let swept = 0;
  const running: Repeating = repeat('who gets mail', interval, async (stopping) => {
    for (let full = true; full && !stopping.aborted; ) {
      const claimed = await events.claim(db, batch, lease);
      full = claimed.length === batch;
      for (const event of claimed) if (!stopping.aborted) await tryDeciding(edges, event);
    }
    if (Date.now() - swept <= sweepInterval) return;
    const forgotten = [await events.forget(db, 1_000), await outcomes.forget(db, 1_000)];
    if (forgotten.every((count) => count < 1_000)) swept = Date.now();
  });
  const unlisten = events.onEvents(db, () => running.soon());
  return {
    async close() {
      unlisten();
      await running.close();
    },
  };
}
