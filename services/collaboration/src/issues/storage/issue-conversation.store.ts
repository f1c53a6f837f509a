import { setImmediate as breathe } from 'node:timers/promises';
import type { SqlExecutor } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import type { CopyRules } from '../domain/issue-copy';

interface Place {
  readonly id: number;
  readonly projectId: number;
}

/**
 * Bytes of bodies that are rewritten at most, so that a move takes seconds at worst, and memory for as much; the newest
 * come first, the rest is copied as it is.
 */
const maxRewrittenBytes = 4 * 1_024 * 1_024;

/** Bodies of a carrier's notes that have to be written differently elsewhere. */
async function rewrittenBodies(
  tx: SqlExecutor,
  carrierId: number,
  { internal, rewritten }: CopyRules,
): Promise<{ ids: number[]; bodies: string[] }> {
  const naming = await tx.query<{ id: number; body: string }>(sql`
    select n.id, n.body from (
      select id, sum(octet_length(body)) over (order by id desc) as bytes from notes
      where noteable_id = ${carrierId} and (${internal}::boolean or not internal) and body ~ '[#!][0-9]') as naming
    join notes n on n.id = naming.id
    where naming.bytes <= ${maxRewrittenBytes}::bigint order by n.id`);
  const ids: number[] = [];
  const bodies: string[] = [];
  for (const { id, body } of naming) {
    const changed = rewritten(body);
    if (changed !== body) {
      ids.push(id);
      bodies.push(changed);
    }
    // Others are served between two texts.
    await breathe();
  }
  return { ids, bodies };
}

/**
 * Copies notes, threads and reactions (those to notes included) of an issue to the issue that takes its place, with
 * their authors, timestamps and counters. Threads get new ids, which begin with the time of the copy, as those of new
 * threads do. Both rows of `issues` must be locked.
 */
export async function copyConversation(tx: SqlExecutor, from: Place, to: Place, rules: CopyRules): Promise<void> {
  const { internal } = rules;
  // Each writer of a note holds the row of its noteable: after this lock there are no half-written notes.
  const [carrier] = await tx.query<{ id: number }>(sql`
    select id from noteables where kind = 'Issue' and target_id = ${from.id} and project_id = ${from.projectId} and sha = ''
      and removed_at is null
    for no key update`);
  if (carrier === undefined) return;
  const { ids, bodies } = await rewrittenBodies(tx, carrier.id, rules);
  await tx.query(sql`
    with carrier as (
      insert into noteables (kind, project_id, target_id, user_notes_count, internal_notes_count, upvotes, downvotes)
      select 'Issue', ${to.projectId}, ${to.id}, user_notes_count - (
        select count(*)::int from notes where noteable_id = ${carrier.id} and not system and internal and not ${internal}::boolean),
        case when ${internal}::boolean then internal_notes_count else 0 end, upvotes, downvotes
      from noteables where id = ${carrier.id}
      returning id, user_notes_count, internal_notes_count, upvotes, downvotes),
    counted as (
      update issues i set user_notes_count = carrier.user_notes_count, internal_notes_count = carrier.internal_notes_count,
        upvotes = carrier.upvotes, downvotes = carrier.downvotes
      from carrier where i.id = ${to.id}),
    reactions as (
      insert into award_emoji (awardable_type, awardable_id, name, user_id, created_at, updated_at)
      select awardable_type, ${to.id}, name, user_id, created_at, updated_at from award_emoji
      where awardable_type = 'Issue' and awardable_id = ${from.id} order by id),
    copied as materialized (
      select original.*, nextval(pg_get_serial_sequence('notes', 'id')) as copy_id
      from (
        select * from notes where noteable_id = ${carrier.id} and (${internal}::boolean or not internal) order by id) as original),
    reactions_to_notes as (
      insert into award_emoji (awardable_type, awardable_id, name, user_id, created_at, updated_at)
      select a.awardable_type, copied.copy_id, a.name, a.user_id, a.created_at, a.updated_at
      from copied join award_emoji a on a.awardable_type = 'Note' and a.awardable_id = copied.id order by a.id)
    insert into notes (id, noteable_id, project_id, discussion_id, starts_discussion, type, author_id, body, system, action, internal,
      resolved_at, resolved_by_id, imported_from, source_kind, source_project_id, source_id, created_at, updated_at)
    overriding system value
    select n.copy_id, carrier.id, ${to.projectId},
      substring(int8send((extract(epoch from now()) * 1000)::bigint) from 3 for 6)
        || substring(sha256(n.discussion_id || int8send(${to.id}::bigint)) from 1 for 14),
      n.starts_discussion, n.type, n.author_id, coalesce(rewritten.body, n.body), n.system, n.action, n.internal,
      n.resolved_at, n.resolved_by_id, n.imported_from, n.source_kind,
      n.source_project_id, n.source_id, n.created_at, n.updated_at
    from carrier, copied n left join unnest(${ids}::bigint[], ${bodies}::text[]) as rewritten (id, body) on rewritten.id = n.id
    order by n.id`);
}
