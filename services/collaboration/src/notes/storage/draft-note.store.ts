import { type Database, listPage, type PageRequest, type SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { invalid, isAppError, notFound } from '@switchyard/errors';
import { type Noteable, type NoteableKey, noteableId, noteableRules, noteableStore } from '../../noteables';
import type { DraftNote, DraftNoteEdit, DraftPublishing, DraftsBeside, NewDraftNote } from '../domain/draft-note';
import type { NotePosition } from '../domain/note-position';
import { diffNoteStore } from './diff-note.store';
import { discussionBytes, nextNoteId, readDiscussion, saveStep } from './note.store';
import { changeNoteableBySteps, type NoteableChangeEdges } from './noteable-change';

const columns = sql`d.id, d.author_id, d.body, d.discussion_id, d.resolve_discussion, d.position, d.line_code, d.commit_id, d.version`;

const draftOf = (row: Record<string, unknown>): DraftNote => ({
  id: row.id as number,
  authorId: row.author_id as number,
  body: row.body as string,
  discussionId: (row.discussion_id as Buffer | null)?.toString('hex'),
  resolveDiscussion: row.resolve_discussion as boolean,
  position: (row.position as NotePosition | null) ?? undefined,
  lineCode: (row.line_code as string | null) ?? undefined,
  commitId: (row.commit_id as string | null) ?? undefined,
  version: row.version as number,
});

const positionJson = ({ position }: Pick<DraftNote, 'position'>): string | null =>
  position === undefined ? null : JSON.stringify(position);

async function takenBeside(tx: SqlExecutor, row: number, authorId: number, id: number): Promise<DraftsBeside> {
  const [taken] = await tx.query<DraftsBeside>(sql`
    select count(*)::int as drafts, coalesce(sum(octet_length(body)), 0)::int as bytes from draft_notes
    where noteable_id = ${row} and author_id = ${authorId} and id <> ${id}`);
  return taken ?? { drafts: 0, bytes: 0 };
}

async function lock(tx: SqlExecutor, key: NoteableKey): Promise<number> {
  const { id, removed } = await noteableStore.lock(tx, key);
  if (removed) throw notFound(noteableRules[key.kind].thing);
  return id;
}

/** What a refusal says, as the refusal of a draft among others. */
const said = (draft: DraftNote, message: unknown): string => {
  const reasons = typeof message === 'object' && message !== null ? Object.values(message).flat() : [message];
  return `Draft note ${draft.id}: ${reasons.join(', ')}`;
};

/** Opens the store of drafts. */
export function draftNoteStore(edges: NoteableChangeEdges) {
  const { db } = edges;
  const read = async (tx: SqlExecutor, row: number, authorId: number, ids: readonly number[]): Promise<DraftNote[]> =>
    (
      await tx.query<Record<string, unknown>>(sql`
        select ${columns} from draft_notes d
        where d.noteable_id = ${row} and d.author_id = ${authorId} and d.id = any(${[...ids]}::bigint[]) order by d.id`)
    ).map(draftOf);

  return {
    async page(key: NoteableKey, authorId: number, request: PageRequest) {
      const { rows, page } = await listPage({
        db,
        name: 'list_draft_notes',
        select: columns,
        from: sql`draft_notes d`,
        where: [sql`d.noteable_id = ${noteableId(key)} and d.author_id = ${authorId}`],
        orders: { id: [{ name: 'id', expression: sql`d.id`, type: 'bigint' }] },
        request,
        count: true,
      });
      return { rows: rows.map(draftOf), page };
    },

    async all(key: NoteableKey, authorId: number, id?: number): Promise<DraftNote[]> {
      const rows = await db.query<Record<string, unknown>>(
        sql`select ${columns} from draft_notes d
          where d.noteable_id = ${noteableId(key)} and d.author_id = ${authorId}
            and ${id === undefined ? sql`true` : sql`d.id = ${id}`}
          order by d.id`,
      );
      return rows.map(draftOf);
    },

    create: (key: NoteableKey, draft: NewDraftNote, check: (others: DraftsBeside) => void): Promise<DraftNote> =>
      db.transaction(async (tx) => {
        const row = await lock(tx, key);
        check(await takenBeside(tx, row, draft.authorId, 0));
        const written = await tx.one<Record<string, unknown>>(sql`
          insert into draft_notes as d (noteable_id, author_id, body, discussion_id, resolve_discussion, position, line_code, commit_id)
          values (${row}, ${draft.authorId}, ${draft.body},
            ${draft.discussionId === undefined ? null : discussionBytes(draft.discussionId)}, ${draft.resolveDiscussion},
            ${positionJson(draft)}::jsonb, ${draft.lineCode ?? null}, ${draft.commitId ?? null})
          returning ${columns}`);
        if (written === undefined) throw new Error('a draft was not inserted');
        return draftOf(written);
      }),

    update: (
      key: NoteableKey,
      authorId: number,
      id: number,
      decide: (draft: DraftNote, others: DraftsBeside) => DraftNoteEdit,
    ): Promise<DraftNote | undefined> =>
      db.transaction(async (tx) => {
        const row = await lock(tx, key);
        const [draft] = await read(tx, row, authorId, [id]);
        if (draft === undefined) return undefined;
        const edit = decide(draft, await takenBeside(tx, row, authorId, id));
        const saved = await tx.one<Record<string, unknown>>(sql`
          update draft_notes d set body = ${edit.body}, position = ${positionJson(edit)}::jsonb, line_code = ${edit.lineCode ?? null},
            version = d.version + 1, updated_at = now()
          where d.id = ${id} returning ${columns}`);
        return saved && draftOf(saved);
      }),

    async reserveNoteIds(authorId: number, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
      const rows = await db.query<{ id: number; note_id: number }>(sql`
        update draft_notes d set note_id = coalesce(d.note_id, ${nextNoteId})
        where d.id in (select id from draft_notes where author_id = ${authorId} and id = any(${[...ids]}::bigint[])
          order by id for no key update)
        returning d.id, d.note_id`);
      return new Map(rows.map((row) => [row.id, row.note_id]));
    },

    remove: (key: NoteableKey, authorId: number, id: number): Promise<boolean> =>
      db.transaction(async (tx) => {
        const row = await lock(tx, key);
        const gone = await tx.query(
          sql`delete from draft_notes where id = ${id} and noteable_id = ${row} and author_id = ${authorId} returning 1`,
        );
        return gone.length > 0;
      }),

    publish: (noteable: Noteable, authorId: number, ids: readonly number[], by: DraftPublishing): Promise<number> =>
      changeNoteableBySteps(edges, noteable, authorId, async (tx, row, _now, record) => {
        const drafts = await read(tx, row, authorId, ids);
        for (const draft of drafts) by.check(draft);
        let notes = 0;
        let placed = false;
        const refusals: string[] = [];
        for (const draft of drafts) {
          try {
            await by.publish(draft, {
              discussion: (id) => readDiscussion(tx, row, id),
              async save(decision) {
                if (decision === undefined) return;
                const { fact } = await saveStep(tx, noteable, row, decision.step);
                await record({ fact, counters: decision.counters, occurredAt: decision.occurredAt });
                if (decision.step.kind !== 'write') return;
                notes += 1;
                placed ||= decision.step.note.type === 'DiffNote';
              },
            });
          } catch (error) {
            if (!isAppError(error) || error.status >= 500) throw error;
            refusals.push(said(draft, error.body.message));
          }
        }
        if (refusals.length > 0) throw invalid({ base: refusals });
        await tx.query(sql`delete from draft_notes where id = any(${drafts.map(({ id }) => id)}::bigint[])`);
        // They were made for the version of then: they follow the pushes since.
        if (placed) await diffNoteStore.request(tx, noteable);
        if (notes > 0) await record({ fact: { $case: 'reviewed', value: { notes } } });
        return drafts.length;
      }),
  };
}

/** Purges up to `limit` drafts of deleted users; returns how many it purged. */
export async function purgeDraftNotes(db: Database, limit: number): Promise<number> {
  const gone = await db.query(sql`
    delete from draft_notes where id in (
      select d.id from directory.users u join draft_notes d on d.author_id = u.id where u.deleted_at is not null limit ${limit})
    returning 1`);
  return gone.length;
}
