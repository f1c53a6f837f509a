import { createHash } from 'node:crypto';
import type { Database, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type ImportKey, importedIssues } from '../../issues';
import { noteableRules } from '../../noteables';
import { snippetsByOrigin } from '../../snippets';
import { type ImportedNote, type ImportedNoteable, typeOf } from '../domain/imported-note';
import { publishImported } from './note.events';
import { discussionBytes, newDiscussionId } from './note.store';

/** A note and the row of what carries it. */
type PlacedNote = ImportedNote & { readonly carrier: number };

/** What carries notes: a commit by its sha, others by their id. */
interface Target {
  readonly kind: ImportedNoteable;
  readonly id: number;
  readonly sha: string;
}

const nameOf = ({ kind, id, sha }: Target): string => `${kind} ${id} ${sha}`;

/** Rows that notes hang on, by what carries them: a row that is there is locked by the update that changes nothing. */
export async function lockCarriers(
  tx: Tx,
  projectId: number,
  targets: readonly Target[],
): Promise<Map<string, number>> {
  const distinct = [...new Map(targets.map((target) => [nameOf(target), target])).values()];
  const rows = await tx.query<Target & { row: number } & Record<string, unknown>>(sql`
    insert into noteables (kind, project_id, target_id, sha)
    select kind, ${projectId}::bigint, id, sha
    from unnest(${distinct.map(({ kind }) => kind)}::text[], ${distinct.map(({ id }) => id)}::bigint[],
      ${distinct.map(({ sha }) => sha)}::text[]) as given (kind, id, sha) order by kind, id, sha
    on conflict (kind, target_id, project_id, sha) do update set version = noteables.version
    returning id as row, kind, target_id as id, sha`);
  return new Map(rows.map((one) => [nameOf(one), one.row]));
}

/** What the causes of imported notes begin with. */
export const causeOf = ({ projectId, importedFrom }: ImportKey): string => `import:${importedFrom}:${projectId}:`;

/** A discussion's id: the same for all notes of a thread, whenever they come. */
function discussionOf({ carrier, key, thread, createdAt }: PlacedNote): Buffer {
  const given = discussionBytes(thread);
  if (given !== undefined) return given;
  const digest = createHash('sha256')
    .update(`${carrier} ${thread === '' ? key : `thread ${thread}`}`)
    .digest();
  const id = thread === '' ? newDiscussionId(createdAt) : Buffer.alloc(20);
  digest.copy(id, thread === '' ? 6 : 0, 0, thread === '' ? 14 : 20);
  return id;
}

const json = (value: object | undefined): string | null => (value === undefined ? null : JSON.stringify(value));

interface AddedNote {
  readonly id: number;
  readonly cause: string;
  readonly carrier: number;
  readonly system: boolean;
  readonly internal: boolean;
}

/** Adds notes that are not there; returns those that were added. */
async function insertNotes(
  tx: Tx,
  { projectId, importedFrom }: ImportKey,
  notes: readonly PlacedNote[],
): Promise<AddedNote[]> {
  const column = <T>(read: (note: PlacedNote) => T): T[] => notes.map(read);
  // The cause makes a note one of its own: a page that comes again adds nothing. Of a thread the first one begins it.
  return tx.query(sql`
    insert into notes (noteable_id, project_id, discussion_id, starts_discussion, type, author_id, body, system, action, internal,
      position, original_position, resolved_by_id, resolved_at, cause, imported_from, imported_body, created_at, updated_at)
    select carrier, ${projectId}::bigint, discussion,
      row_number() over (partition by carrier, discussion order by place) = 1 and not exists (
        select 1 from notes known where known.noteable_id = carrier and known.discussion_id = discussion),
      type, author_id, body, system, action, internal, position::jsonb, coalesce(original::jsonb, position::jsonb), resolved_by, resolved_at,
      ${causeOf({ projectId, importedFrom })}::text || key, ${importedFrom}::text,
      sha256(convert_to(body, 'UTF8')), created_at, updated_at
    from unnest(${column(({ carrier }) => carrier)}::bigint[], ${column(discussionOf)}::bytea[],
      ${column((note) => typeOf(note) ?? null)}::text[], ${column(({ authorId }) => authorId)}::bigint[],
      ${column(({ body }) => body)}::text[], ${column(({ system }) => system)}::boolean[],
      ${column(({ action, system }) => (system ? (action ?? null) : null))}::text[], ${column(({ internal }) => internal)}::boolean[],
      ${column(({ position }) => json(position))}::text[], ${column(({ originalPosition }) => json(originalPosition))}::text[],
      ${column(({ resolvedById }) => resolvedById ?? null)}::bigint[], ${column(({ resolvedAt }) => resolvedAt ?? null)}::timestamptz[],
      ${column(({ key }) => key)}::text[], ${column(({ createdAt }) => createdAt)}::timestamptz[],
      ${column(({ updatedAt }) => updatedAt)}::timestamptz[]) with ordinality
      as given (carrier, discussion, type, author_id, body, system, action, internal, position, original, resolved_by, resolved_at, key,
        created_at, updated_at, place)
    order by created_at, place
    on conflict (cause) where cause is not null do nothing returning id, cause, noteable_id as carrier, system, internal`);
}

/** Adds what notes suggest that were added. */
async function insertSuggestions(
  tx: Tx,
  key: ImportKey,
  notes: readonly PlacedNote[],
  added: readonly AddedNote[],
): Promise<void> {
  const idOf = new Map(added.map(({ cause, id }) => [cause, id]));
  const rows = notes.flatMap(({ key: name, suggestions = [] }) => {
    const noteId = idOf.get(`${causeOf(key)}${name}`);
    return noteId === undefined ? [] : suggestions.map((one, place) => ({ ...one, noteId, place }));
  });
  if (rows.length === 0) return;
  await tx.query(sql`
    insert into suggestions (note_id, place, lines_above, lines_below, from_content, to_content, commit_sha)
    select "noteId", place, "linesAbove", "linesBelow", "fromContent", "toContent", "commitSha"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given ("noteId" bigint, place int, "linesAbove" int,
      "linesBelow" int, "fromContent" text, "toContent" text, "commitSha" text)
    order by "noteId", place on conflict do nothing`);
}

/** Gives notes that are there the texts of the forge where nobody has changed them here. */
const refreshBodies = (tx: Tx, from: ImportKey, notes: readonly PlacedNote[]) =>
  tx.query(sql`
    update notes n set body = given.body, imported_body = sha256(convert_to(given.body, 'UTF8')),
      updated_at = greatest(n.updated_at, given.updated_at)
    from unnest(${notes.map(({ key }) => `${causeOf(from)}${key}`)}::text[],
      ${notes.map(({ body }) => body)}::text[], ${notes.map(({ updatedAt }) => updatedAt)}::timestamptz[])
      as given (cause, body, updated_at)
    where n.cause = given.cause and n.noteable_id = any(${[...new Set(notes.map(({ carrier }) => carrier))]}::bigint[])
      and n.body <> given.body and n.imported_body = sha256(convert_to(n.body, 'UTF8'))`);

/** Brings the counters of rows up to what notes they have got; returns them as they are now. */
const count = (tx: Tx, added: readonly AddedNote[]) =>
  tx.query<{ row: number; kind: string; id: number; userNotes: number; internalNotes: number }>(sql`
    with added as (
      select carrier, (count(*) filter (where not system))::int as notes, (count(*) filter (where not system and internal))::int as internal
      from unnest(${added.map(({ carrier }) => carrier)}::bigint[], ${added.map(({ system }) => system)}::boolean[],
        ${added.map(({ internal }) => internal)}::boolean[]) as given (carrier, system, internal) group by carrier)
    update noteables c set user_notes_count = c.user_notes_count + added.notes,
      internal_notes_count = c.internal_notes_count + added.internal, version = c.version + 1,
      unresolved_count = case when c.kind = any(${Object.entries(noteableRules)
        .filter(([, { resolvable }]) => resolvable)
        .map(([kind]) => kind)}::text[]) then (
        select count(distinct n.discussion_id)::int from notes n
        where n.noteable_id = c.id and n.type is not null and not n.system and n.resolved_at is null)
        else c.unresolved_count end
    from added where c.id = added.carrier
    returning c.id as row, c.kind, c.target_id as id, c.user_notes_count as "userNotes", c.internal_notes_count as "internalNotes"`);

/** Opens the store of imported notes. */
export const noteImportStore = (db: Database) => ({
  add: (
    key: ImportKey,
    notes: readonly ImportedNote[],
    mergeRequests: ReadonlyMap<number, number>,
    knownBefore?: Date,
  ): Promise<number> =>
    db.transaction(async (tx) => {
      const of = (kind: ImportedNoteable) => notes.filter(({ noteable }) => noteable === kind);
      const issues = await importedIssues.lock(
        tx,
        key,
        of('Issue').map(({ noteableIid }) => noteableIid),
      );
      const snippets = await snippetsByOrigin(
        tx,
        key,
        of('Snippet').map(({ noteableName = '' }) => noteableName),
      );
      const ids: Readonly<Record<ImportedNoteable, (note: ImportedNote) => number | undefined>> = {
        Issue: ({ noteableIid }) => issues.get(noteableIid),
        MergeRequest: ({ noteableIid }) => mergeRequests.get(noteableIid),
        Commit: () => 0,
        Snippet: ({ noteableName = '' }) => snippets.get(noteableName),
      };
      const on = notes.flatMap((note) => {
        const { noteable: kind, noteableName: name = '' } = note;
        const id = ids[kind](note);
        return id === undefined ? [] : [{ note, target: { kind, id, sha: kind === 'Commit' ? name : '' } }];
      });
      const rows = await lockCarriers(
        tx,
        key.projectId,
        on.map(({ target }) => target),
      );
      const placed = on.flatMap(({ note, target }) => {
        const carrier = rows.get(nameOf(target));
        return carrier === undefined ? [] : [{ ...note, carrier }];
      });
      if (knownBefore !== undefined) await refreshBodies(tx, key, placed);
      const wanted = placed.filter(({ createdAt }) => knownBefore === undefined || createdAt >= knownBefore);
      const added = await insertNotes(tx, key, wanted);
      await insertSuggestions(tx, key, wanted, added);
      const counted = await count(tx, added);
      await importedIssues.keepCounts(
        tx,
        counted.filter(({ kind }) => kind === 'Issue'),
      );
      await publishImported(
        tx,
        counted.filter(({ kind }) => kind === 'MergeRequest').map(({ row }) => row),
      );
      return placed.length;
    }),
});
