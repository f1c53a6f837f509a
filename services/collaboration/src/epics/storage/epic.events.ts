import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { appendAllToOutbox, epicEventId, epicEvents } from '@switchyard/events';
import type { EpicEvent } from '@switchyard/protos/collaboration/events/v1/epic_event';
import type { Epic } from '../domain/epic';
import type { EpicFact } from '../domain/epic-change';

type WireFact = NonNullable<EpicEvent['fact']>;

const mentionsOf = ({ usernames, directlyAddressed }: Extract<EpicFact, { kind: 'created' }>['mentions']) => ({
  usernames: [...usernames],
  directlyAddressedUsernames: [...directlyAddressed],
});

/** A fact as the event carries it, and its cause (the proto has the table of causes). */
function wireFact(fact: EpicFact, version: number): { fact: WireFact; cause: number } {
  switch (fact.kind) {
    case 'created':
      return {
        cause: 1,
        fact: { $case: 'created', value: { mentions: mentionsOf(fact.mentions), parentId: fact.parentId ?? 0 } },
      };
    case 'updated':
      return {
        cause: version,
        fact: {
          $case: 'updated',
          value: {
            mentions: mentionsOf(fact.mentions),
            changedFields: [...fact.changedFields],
            addedLabelIds: [...fact.addedLabelIds],
            removedLabelIds: [...fact.removedLabelIds],
            changes: [...fact.changes],
            oldDescription: fact.oldDescription,
          },
        },
      };
    case 'closed':
      return { cause: version, fact: { $case: 'closed', value: {} } };
    case 'reopened':
      return { cause: version, fact: { $case: 'reopened', value: {} } };
    case 'deleted':
      return { cause: 1, fact: { $case: 'deleted', value: {} } };
    case 'linked':
    case 'unlinked': {
      const { kind, linkId: id, linkType, other } = fact;
      const link = { id, linkType, otherId: other.id, otherIid: other.iid, otherGroupId: other.groupId };
      return { cause: id, fact: { $case: kind, value: { link } } };
    }
  }
}

/** What the events of a change of an epic are made from. */
export interface EpicEventInput {
  /** The epic after the change. */
  readonly subject: Epic;
  readonly facts: readonly EpicFact[];
  /** 0 when no user caused it. */
  readonly actorId: number;
  readonly occurredAt: Date;
}

/** Appends the events of a change, in order, in its transaction. The row must be locked. */
export async function publishEpicFacts(tx: SqlExecutor, input: EpicEventInput): Promise<void> {
  const { subject, facts, actorId, occurredAt } = input;
  if (facts.length === 0) return;
  const [state] = await tx.query<{ sequence: number; labels: number[] }>(sql`
    select sequence, array(select label_id from epic_labels where epic_id = ${subject.id} order by label_id) as labels
    from directory.state`);
  const events = facts.map((happened) => {
    const { fact, cause } = wireFact(happened, subject.lockVersion);
    return {
      id: epicEventId(fact.$case, subject.id, cause),
      payload: {
        epic: {
          id: subject.id,
          iid: subject.iid,
          groupId: subject.groupId,
          authorId: subject.authorId,
          title: subject.title,
          confidential: subject.confidential,
          version: subject.lockVersion,
          state: subject.state,
          labelIds: state?.labels ?? [],
        },
        actorId,
        occurredAt,
        imported: happened.kind === 'created' && subject.importedFrom !== 'none',
        directorySequence: state?.sequence ?? 0,
        fact,
      },
    };
  });
  await appendAllToOutbox(tx, epicEvents, events);
}
