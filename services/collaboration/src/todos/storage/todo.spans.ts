import type { SqlExecutor } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import type { Target } from '../../targets';
import { distinctTodos, type NewTodo, requestTodos, resolveTodos, type UserTodo } from '../domain/todo-change';
import type { TodoRequest } from '../domain/todo-span';

interface Stored {
  readonly id: number;
  readonly user_id: number;
  readonly author_id: number;
  readonly action: string;
  readonly cause: string;
  readonly body: string | null;
  readonly note_id: number | null;
  readonly state: 'pending' | 'done';
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly repeats: readonly { readonly at: number; readonly by: number }[] | null;
}

const columns = sql`t.id, t.user_id, t.author_id, t.action, t.cause, t.body, t.note_id, t.state, t.created_at, t.updated_at, t.repeats`;

const toTodo = (stored: Stored): UserTodo => ({
  id: stored.id,
  userId: stored.user_id,
  action: stored.action,
  cause: stored.cause,
  body: stored.body ?? undefined,
  noteId: stored.note_id ?? undefined,
  requests: [
    { at: stored.created_at, authorId: stored.author_id },
    ...(stored.repeats ?? []).map(({ at, by }): TodoRequest => ({ at: new Date(at), authorId: by })),
  ],
  until: stored.state === 'done' ? stored.updated_at : undefined,
});

const onTarget = ({ type, id }: Target): Sql => sql`t.target_type = ${type} and t.target_id = ${id}`;

/**
 * Locks the to-dos of one target until the transaction ends. Events about it come from streams that are followed
 * concurrently, and each must see what the others have saved.
 */
export async function lockTarget(tx: SqlExecutor, { type, id }: Target): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`todos ${type} ${id}`}, 0))`);
}

/**
 * Changes the to-dos of a locked target: reads them, decides, and saves the decision in a constant number of
 * statements.
 * @param tables the tables of to-dos and of activities
 */
export function todoSpans({ todos, acts }: { todos: Sql; acts: Sql }): {
  /** Requests to-dos. */
  request(tx: SqlExecutor, target: Target, wanted: readonly NewTodo[], at: Date): Promise<void>;
  /** Records that a user acted on the target, and resolves their to-dos. */
  resolve(tx: SqlExecutor, target: Target, userId: number, at: Date): Promise<void>;
} {
  async function write(tx: SqlExecutor, target: Target, rows: readonly UserTodo[]): Promise<void> {
    const values = (some: readonly UserTodo[]): Sql => {
      const first = some.map(({ requests }) => requests[0]);
      const repeats = some.map(({ requests: [, ...more] }) =>
        more.length === 0 ? null : JSON.stringify(more.map(({ at, authorId }) => ({ at: at.getTime(), by: authorId }))),
      );
      return sql`unnest(${some.map(({ id }) => id ?? null)}::bigint[], ${first.map((request) => request?.authorId ?? null)}::bigint[],
        ${first.map((request) => request?.at ?? null)}::timestamptz[], ${some.map(({ until }) => until ?? null)}::timestamptz[],
        ${repeats}::text[], ${some.map(({ userId }) => userId)}::bigint[], ${some.map(({ action }) => action)}::text[],
        ${some.map(({ cause }) => cause)}::text[], ${some.map(({ body }) => body ?? null)}::text[],
        ${some.map(({ noteId }) => noteId ?? null)}::bigint[])
        with ordinality as span (id, author_id, asked_at, done_at, repeats, user_id, action, cause, body, note_id, position)`;
    };
    const changed = rows.filter(({ id }) => id !== undefined);
    if (changed.length > 0)
      await tx.query(sql`
        update ${todos} t set author_id = span.author_id, created_at = span.asked_at, repeats = span.repeats::jsonb,
          state = case when span.done_at is null then 'pending' else 'done' end,
          updated_at = coalesce(span.done_at, span.asked_at)
        from ${values(changed)} where t.id = span.id`);
    const made = rows.filter(({ id }) => id === undefined);
    if (made.length > 0)
      await tx.query(sql`
        insert into ${todos} (user_id, author_id, action, project_id, group_id, target_type, target_id, target_iid, cause, body, note_id, state,
          created_at, updated_at, repeats)
        select span.user_id, span.author_id, span.action, ${target.groupId === undefined ? target.projectId : null}::bigint, ${target.groupId ?? null}::bigint, ${target.type}, ${target.id}, ${target.iid}, span.cause,
          span.body, span.note_id, case when span.done_at is null then 'pending' else 'done' end,
          span.asked_at, coalesce(span.done_at, span.asked_at), span.repeats::jsonb
        from ${values(made)}
        where not exists (
          select 1 from removed_targets gone where gone.target_type = ${target.type} and gone.target_id = ${target.id})
        order by span.position
        on conflict (user_id, target_type, target_id, action, cause) where state = 'pending' do nothing`);
  }

  return {
    async request(tx, target, wanted, at) {
      const once = distinctTodos(wanted);
      const known = await tx.query<Stored>(sql`
        select ${columns} from ${todos} t
        join unnest(${once.map(({ userId }) => userId)}::bigint[], ${once.map(({ action }) => action)}::text[],
          ${once.map(({ cause }) => cause)}::text[]) as one (user_id, action, cause)
          on t.user_id = one.user_id and t.action = one.action and t.cause = one.cause
        where ${onTarget(target)} order by t.id for update of t`);
      const later = await tx.query<{ user_id: number; first: Date }>(sql`
        select t.user_id, min(t.acted_at) as first from ${acts} t
        where ${onTarget(target)} and t.user_id = any(${[...new Set(once.map(({ userId }) => userId))]}::bigint[])
          and t.acted_at > ${at}::timestamptz
        group by t.user_id`);
      const nextActivities = new Map(later.map(({ user_id, first }) => [user_id, first]));
      await write(tx, target, requestTodos(known.map(toTodo), once, at, nextActivities));
    },

    async resolve(tx, target, userId, at) {
      await tx.query(sql`
        insert into ${acts} (target_type, target_id, user_id, acted_at)
        values (${target.type}, ${target.id}, ${userId}, ${at}::timestamptz) on conflict do nothing`);
      const current = await tx.query<Stored>(sql`
        select ${columns} from ${todos} t
        where ${onTarget(target)} and t.user_id = ${userId} and t.created_at < ${at}::timestamptz
          and (t.state = 'pending' or t.updated_at > ${at}::timestamptz)
        order by t.id for update of t`);
      await write(tx, target, resolveTodos(current.map(toTodo), at));
    },
  };
}
