import type { Database } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { ContextCommit } from '../domain/context-commit';

/** Commits that merge requests show beside their own. */
export const contextCommitStore = (db: Database) => ({
  /** Their ids, the newest commit first, and how many there are. */
  async list(
    mergeRequestId: number,
    { offset, limit }: { readonly offset: number; readonly limit: number },
  ): Promise<{ shas: string[]; total: number }> {
    const rows = await db.query<{ sha: string | null; total: number }>(sql`
      with own as (select sha, committed_at from merge_request_context_commits where merge_request_id = ${mergeRequestId}),
        place as (select sha, committed_at from own order by committed_at desc, sha limit ${limit} offset ${offset})
      select place.sha, (select count(*) from own)::int as total from (select 1) one left join place on true
      order by place.committed_at desc, place.sha`);
    return { shas: rows.flatMap(({ sha }) => sha ?? []), total: rows[0]?.total ?? 0 };
  },

  /**
   * Adds commits, those that are there already with them. The row of the merge request is locked: of two requests at
   * once neither passes the limit. False when there would be more than `most`.
   */
  add: (mergeRequestId: number, commits: readonly ContextCommit[], most: number): Promise<boolean> =>
    db.transaction(async (tx) => {
      await tx.query(sql`select 1 from merge_requests where id = ${mergeRequestId} for no key update`);
      const there = await tx.one<{ count: number }>(sql`
        select count(*)::int as count from merge_request_context_commits
        where merge_request_id = ${mergeRequestId} and sha <> all(${commits.map(({ sha }) => sha)}::text[])`);
      if ((there?.count ?? 0) + commits.length > most) return false;
      await tx.query(sql`
        insert into merge_request_context_commits (merge_request_id, sha, committed_at)
        select ${mergeRequestId}, sha, committed_at
        from unnest(${commits.map(({ sha }) => sha)}::text[],
          ${commits.map(({ committedAt }) => committedAt)}::timestamptz[]) as given (sha, committed_at)
        on conflict do nothing`);
      return true;
    }),

  /** Takes commits away; how many there were. */
  async remove(mergeRequestId: number, shas: readonly string[]): Promise<number> {
    const rows = await db.query(sql`
      delete from merge_request_context_commits
      where merge_request_id = ${mergeRequestId} and sha = any(${[...shas]}::text[]) returning sha`);
    return rows.length;
  },
});
