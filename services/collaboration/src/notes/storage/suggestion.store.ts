import type { SqlExecutor, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { Noteable } from '../../noteables';
import type { DiscussionState, NoteDecision } from '../domain/note-change';
import type { NotePosition } from '../domain/note-position';
import type { SuggestionRow } from '../domain/suggestion';
import { readDiscussion, saveStep } from './note.store';
import { changeNoteableBySteps, type NoteableChangeEdges } from './noteable-change';

const read = (db: SqlExecutor, ids: readonly number[]): Promise<SuggestionRow[]> =>
  db.query<SuggestionRow & { readonly position: NotePosition }>(sql`
    select s.id, s.lines_above as "linesAbove", s.lines_below as "linesBelow", s.from_content as "fromContent",
      s.to_content as "toContent", s.commit_sha is not null as applied, n.id as "noteId", n.author_id as "authorId",
      n.internal, n.position, c.project_id as "projectId", c.target_id as "targetId"
    from unnest(${[...ids]}::bigint[]) with ordinality as wanted (id, place)
    join suggestions s on s.id = wanted.id join notes n on n.id = s.note_id join noteables c on c.id = n.noteable_id
    where c.removed_at is null and c.kind = 'MergeRequest'
    order by wanted.place`);

/** Opens the store of suggestions. */
export const suggestionStore = (edges: NoteableChangeEdges) => ({
  find: (ids: readonly number[]): Promise<SuggestionRow[]> => read(edges.db, ids),

  settle: (
    noteable: Noteable,
    { ids, commitSha, actorId }: { ids: readonly number[]; commitSha: string; actorId: number },
    resolve: (discussion: DiscussionState | undefined, now: Date) => NoteDecision,
    within?: Tx,
  ): Promise<void> =>
    changeNoteableBySteps(
      edges,
      noteable,
      actorId,
      async (tx, row, now, record) => {
        const marked = await tx.query<{ discussion: string }>(sql`
          with marked as (
            update suggestions s set commit_sha = ${commitSha} from notes n
            where s.id = any(${[...ids]}::bigint[]) and s.commit_sha is null and n.id = s.note_id and n.noteable_id = ${row}
            returning n.discussion_id)
          select distinct encode(discussion_id, 'hex') as discussion from marked order by 1`);
        for (const { discussion } of marked) {
          const decision = resolve(await readDiscussion(tx, row, discussion), now);
          if (decision === undefined) continue;
          const { fact } = await saveStep(tx, noteable, row, decision.step);
          await record({ fact, counters: decision.counters });
        }
      },
      within,
    ),
});
