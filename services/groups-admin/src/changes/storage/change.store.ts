import type { Database, Tx } from '@switchyard/database';
import { named, sql } from '@switchyard/database/sql';
import type { HookBody } from '@switchyard/protos/rpc/v1/hook_body';
import type { Change } from '../domain/change';
import { finishBody } from '../domain/change-body';

/** Notices of it wake those who watch feeds. */
export const changeChannel = 'switchyard_changes';

const idOrNone = (id: number): number | null => (id === 0 ? null : id);

/** Descriptions of the projects of bodies that have one. */
async function descriptionsOf(tx: Tx, bodies: readonly HookBody[]): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(bodies.flatMap(({ projectId }) => (projectId > 0 ? [projectId] : [])))];
  const rows = await tx.query<{ id: number; description: string }>(
    named(
      'change_project_descriptions',
      sql`select id, description from projects where id = any(${ids}::bigint[]) and description is not null`,
    ),
  );
  return new Map(rows.map(({ id, description }) => [id, description]));
}

/**
 * What became confidential is so in what the feed kept of it before: hooks have had that, and readers get it no more.
 * Notes have the key of what they are on, so they are hidden with it.
 */
async function hideEarlier(tx: Tx, bodies: readonly HookBody[]): Promise<void> {
  const hidden = bodies.filter(
    ({ kind, confidential, objectIsOpen }) => confidential && !objectIsOpen && kind !== 'note' && kind !== 'emoji',
  );
  if (hidden.length === 0) return;
  const rows = hidden.map((body) => ({
    object_key: body.objectKey,
    author_id: body.authorId,
    audience_ids: body.audienceIds,
    least_level: body.leastLevel,
  }));
  await tx.query(
    named(
      'change_hide_earlier',
      sql`update changes c set confidential = true, least_level = g.least_level, author_id = g.author_id,
          audience_ids = g.audience_ids
        from json_to_recordset(${JSON.stringify(rows)}::json)
          as g (object_key text, author_id bigint, audience_ids bigint[], least_level int)
        where c.object_key = g.object_key and not c.confidential`,
    ),
  );
}

/** Changes with their places, over the database. */
export const changeStore = (db: Database) => ({
  async append(tx: Tx, bodies: readonly HookBody[]): Promise<readonly Change[]> {
    if (bodies.length === 0) return [];
    const descriptions = await descriptionsOf(tx, bodies);
    // The last thing that is locked: whoever has the counter waits for nothing but its own statements.
    const counter = await tx.one<{ last: number }>(
      named('change_counter_take', sql`update change_counter set last = last + ${bodies.length}::int returning last`),
    );
    if (counter === undefined) throw new Error('the counter of changes is gone');
    const first = counter.last - bodies.length + 1;
    const changes = bodies.map((body, index): Change => {
      const position = first + index;
      return {
        position,
        kind: body.kind,
        confidential: body.confidential,
        projectId: body.projectId,
        groupId: body.groupId,
        ref: body.ref,
        objectKey: body.objectKey,
        actorId: body.actorId,
        action: body.action,
        occurredAt: body.occurredAt ?? new Date(),
        body: finishBody(Buffer.from(body.json).toString(), position, descriptions),
        eventId: body.eventId,
      };
    });
    const rows = changes.map((change, index) => ({
      position: change.position,
      event_id: change.eventId,
      kind: change.kind,
      action: change.action,
      confidential: change.confidential,
      project_id: idOrNone(change.projectId),
      group_id: idOrNone(change.groupId),
      ref: change.ref,
      object_key: change.objectKey,
      actor_id: change.actorId,
      author_id: bodies[index]?.authorId ?? 0,
      audience_ids: bodies[index]?.audienceIds ?? [],
      feature: bodies[index]?.feature ?? '',
      least_level: bodies[index]?.leastLevel ?? 0,
      body: change.body,
      occurred_at: change.occurredAt,
    }));
    await tx.query(
      named(
        'change_append',
        sql`with given as (
            select * from json_to_recordset(${JSON.stringify(rows)}::json) as r (position bigint, event_id text, kind text,
              action text, confidential boolean, project_id bigint, group_id bigint, ref text, object_key text,
              actor_id bigint, author_id bigint, audience_ids bigint[], feature text, least_level int, body text,
              occurred_at timestamptz)),
          stored as (
            insert into changes (position, event_id, kind, action, confidential, project_id, group_id, ref, object_key,
              actor_id, author_id, audience_ids, feature, least_level, body, occurred_at)
            select position, event_id, kind, action, confidential, project_id, group_id, ref, object_key, actor_id,
              author_id, audience_ids, feature, least_level, body, occurred_at from given)
          insert into change_groups (group_id, position)
          select a.id, given.position from given
          left join projects p on p.id = given.project_id
          join namespaces n on n.id = coalesce(p.namespace_id, given.group_id)
          join namespaces a on a.id = any(n.ancestry) and a.kind = 'group'`,
      ),
    );
    await hideEarlier(tx, bodies);
    tx.notify(changeChannel);
    return changes;
  },

  // The bound is known before anything is deleted: a reader whose cursor lies below it is refused and misses nothing.
  prune: (keepDays: number, limit: number): Promise<number> =>
    db.transaction(async (tx) => {
      const bound = await tx.one<{ position: number }>(sql`
        with old as (
          select position from changes where position < (select min(position) from changes) + ${limit}::int
            and created_at < now() - ${keepDays}::int * interval '1 day')
        update change_counter set pruned_through = greatest(pruned_through, (select max(position) from old))
        where exists (select from old) returning pruned_through as position`);
      if (bound === undefined) return 0;
      await tx.query(sql`delete from change_groups where position <= ${bound.position}::bigint`);
      const gone = await tx.query(sql`delete from changes where position <= ${bound.position}::bigint returning 1`);
      return gone.length;
    }),

  async prunePassedOver(keepDays: number): Promise<void> {
    await db.query(sql`delete from passed_over_changes where created_at < now() - ${keepDays}::int * interval '1 day'`);
  },

  onChange: (wake: () => void): (() => void) => db.notices.listen(changeChannel, wake),
});
