import type { Database, Tx } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import { type ImportKey, importedIssues } from '../../issues';
import { archivedSnippet, snippetsByOrigin } from '../../snippets';
import type { ImportedEmoji, ReactedTo } from '../domain/imported-emoji';
import { publishImported } from './note.events';
import { causeOf, lockCarriers } from './note-import.store';

/** Locks imported notes; their ids by those that they had. */
async function lockNotes(tx: Tx, key: ImportKey, given: readonly number[]): Promise<Map<number, number>> {
  const idOf = new Map(given.map((id) => [`${causeOf(key)}${id}`, id]));
  const rows = await tx.query<{ id: number; cause: string }>(sql`
    select id, cause from notes where cause = any(${[...idOf.keys()]}::text[]) order by id for key share`);
  return new Map(rows.map(({ id, cause }) => [idOf.get(cause) ?? 0, id]));
}

async function snippetIds(tx: Tx, key: ImportKey, given: readonly number[]): Promise<Map<number, number>> {
  const nameOf = (id: number): string => archivedSnippet(key.projectId, id);
  const found = await snippetsByOrigin(tx, key, given.map(nameOf));
  return new Map(
    given.flatMap((id) => {
      const there = found.get(nameOf(id));
      return there === undefined ? [] : [[id, there] as const];
    }),
  );
}

/** Counts the votes of noteables again, and passes them on. */
async function keepVotes(tx: Tx, type: Exclude<ReactedTo, 'Note'>, rows: readonly number[]): Promise<void> {
  const thumbs = (name: string) => sql`(
    select count(*)::int from award_emoji a
    where a.awardable_type = c.kind and a.awardable_id = c.target_id and a.name = ${name}::text)`;
  const votes = await tx.query<{ id: number; upvotes: number; downvotes: number }>(sql`
    update noteables c set version = c.version + 1, upvotes = ${thumbs('thumbsup')}, downvotes = ${thumbs('thumbsdown')}
    where c.id = any(${[...rows]}::bigint[]) returning c.target_id as id, c.upvotes, c.downvotes`);
  if (type === 'Issue') await importedIssues.keepVotes(tx, votes);
  if (type === 'MergeRequest') await publishImported(tx, rows);
}

/** Opens the store of imported reactions. */
export const emojiImportStore = (db: Database) => ({
  add: (
    key: ImportKey,
    type: ReactedTo,
    given: readonly ImportedEmoji[],
    mergeRequests: ReadonlyMap<number, number>,
  ): Promise<number> =>
    db.transaction(async (tx) => {
      const on = [...new Set(given.map((one) => one.on))];
      const idsOf: Readonly<Record<ReactedTo, () => Promise<ReadonlyMap<number, number>>>> = {
        Issue: () => importedIssues.lock(tx, key, on),
        MergeRequest: async () => mergeRequests,
        Snippet: () => snippetIds(tx, key, on),
        Note: () => lockNotes(tx, key, on),
      };
      const ids = await idsOf[type]();
      const targets = on.flatMap((one) => ids.get(one) ?? []);
      const carriers =
        type === 'Note'
          ? undefined
          : await lockCarriers(
              tx,
              key.projectId,
              targets.map((id) => ({ kind: type, id, sha: '' })),
            );
      const placed = given.flatMap((one) => {
        const id = ids.get(one.on);
        return id === undefined ? [] : [{ ...one, id }];
      });
      await tx.query(sql`
        insert into award_emoji (awardable_type, awardable_id, name, user_id, created_at, updated_at)
        select ${type}::text, id, name, user_id, created_at, created_at
        from unnest(${placed.map(({ id }) => id)}::bigint[], ${placed.map(({ name }) => name)}::text[],
          ${placed.map(({ userId }) => userId)}::bigint[], ${placed.map(({ createdAt }) => createdAt)}::timestamptz[])
          with ordinality as given (id, name, user_id, created_at, place)
        order by place on conflict (awardable_type, awardable_id, name, user_id) do nothing`);
      if (type !== 'Note' && carriers !== undefined) await keepVotes(tx, type, [...carriers.values()]);
      return placed.length;
    }),
});
