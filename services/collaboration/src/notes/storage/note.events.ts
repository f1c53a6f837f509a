import type { SqlExecutor, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { appendAllToOutbox, appendToOutbox, noteEventId, noteEvents } from '@switchyard/events';
import type { NoteEvent } from '@switchyard/protos/collaboration/events/v1/note_event';
import type { NoteableCounters } from '../../noteables';
import type { NoteEventInput } from '../domain/note-event-input';

const wireCounters = ({ unresolvedCount, ...counters }: NoteableCounters): NonNullable<NoteEvent['counters']> => ({
  ...counters,
  unresolvedDiscussionsCount: unresolvedCount,
});

/** Appends the event of a change in its transaction. The row of the noteable must be locked. */
export async function publishNote(tx: Tx, { noteable, row, counters, fact, ...rest }: NoteEventInput): Promise<void> {
  const payload: NoteEvent = {
    ...rest,
    imported: false,
    reactions: [],
    noteable: {
      kind: noteable.kind,
      id: noteable.targetId,
      iid: noteable.iid ?? 0,
      projectId: noteable.projectId,
      groupId: noteable.groupId ?? 0,
      sha: noteable.sha,
      authorId: noteable.authorId,
      title: noteable.title,
      confidential: noteable.confidential,
      webUrl: noteable.webUrl,
    },
    counters: wireCounters(counters),
    fact,
  };
  await appendToOutbox(tx, noteEvents, payload, { id: noteEventId(fact.$case, row, counters.version) });
}

type NoteState = NoteableCounters & {
  row: number;
  projectId: number;
  targetId: number;
  sequence: number;
  reactions: NoteEvent['reactions'];
};

/** Present counts and reactions of merge requests. */
const stateColumns = sql`c.id as row, c.project_id as "projectId", c.target_id as "targetId", c.version, c.user_notes_count as "userNotesCount",
  c.internal_notes_count as "internalNotesCount", c.unresolved_count as "unresolvedCount", c.upvotes, c.downvotes,
  (select sequence from directory.state) as sequence,
  (select coalesce(jsonb_agg(jsonb_build_object('userId', a.user_id, 'name', a.name) order by a.id), '[]') from award_emoji a
    where a.awardable_type = 'MergeRequest' and a.awardable_id = c.target_id) as reactions`;

const stateEvent = ({ projectId, targetId, sequence, reactions, row, ...counters }: NoteState): NoteEvent => ({
  noteable: {
    kind: 'MergeRequest',
    id: targetId,
    iid: 0,
    projectId,
    groupId: 0,
    sha: '',
    authorId: 0,
    title: '',
    confidential: false,
    webUrl: '',
  },
  counters: wireCounters(counters),
  reactions,
  actorId: 0,
  imported: false,
  directorySequence: sequence,
  occurredAt: undefined,
  fact: undefined,
});

/**
 * The present counts and reactions of merge requests after an id, as events without a fact, for `publishStates`. The
 * owner of the merge requests takes the numbers and reactions of a version above the one that it knows.
 */
export async function noteStates(
  tx: SqlExecutor,
  after: number,
  limit: number,
): Promise<{ id: number; payload: NoteEvent }[]> {
  const rows = await tx.query<NoteState>(sql`
    select ${stateColumns} from noteables c where c.id > ${after} and c.kind = 'MergeRequest' and c.removed_at is null
    order by c.id limit ${limit}`);
  return rows.map((state) => ({ id: state.row, payload: stateEvent(state) }));
}

/** Appends the counts of merge requests that have got imported notes, for their owner alone. The rows must be locked. */
export async function publishImported(tx: Tx, rows: readonly number[]): Promise<void> {
  if (rows.length === 0) return;
  const states = await tx.query<NoteState>(sql`
    select ${stateColumns} from noteables c where c.id = any(${[...rows]}::bigint[]) order by c.id`);
  await appendAllToOutbox(
    tx,
    noteEvents,
    states.map((state) => ({
      id: `note.imported:${state.row}:${state.version}`,
      payload: { ...stateEvent(state), imported: true },
    })),
    { history: true },
  );
}
