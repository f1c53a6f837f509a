import type { SqlExecutor } from '@switchyard/database';
import { type Sql, sql } from '@switchyard/database/sql';
import type { Target } from '../../targets';
import { place, settle, type TodoAsk, type TodoSpan } from '../domain/todo-span';

/** A to-do wanted of a user. */
export interface WantedTodo {
  readonly userId: number;
  readonly authorId: number;
  readonly action: string;
  readonly cause: string;
  readonly body: string | undefined;
  readonly noteId: number | undefined;
}

/** A row of to-dos as a span; without an id it is to be made. */
interface Row extends TodoSpan, Omit<WantedTodo, 'authorId'> {
  readonly id: number | undefined;
}

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

const toRow = (stored: Stored): Row => ({
  id: stored.id,
  userId: stored.user_id,
  action: stored.action,
  cause: stored.cause,
  body: stored.body ?? undefined,
  noteId: stored.note_id ?? undefined,
  asks: [
    { at: stored.created_at, authorId: stored.author_id },
    ...(stored.repeats ?? []).map(({ at, by }): TodoAsk => ({ at: new Date(at), authorId: by })),
  ],
  until: stored.state === 'done' ? stored.updated_at : undefined,
});

const keyOf = ({ userId, action, cause }: Pick<WantedTodo, 'userId' | 'action' | 'cause'>): string =>
  JSON.stringify([userId, action, cause]);

function groupBy<T>(items: readonly T[], key: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group === undefined) groups.set(key(item), [item]);
    else group.push(item);
  }
  return groups;
}

const onTarget = ({ type, id }: Target): Sql => sql`t.target_type = ${type} and t.target_id = ${id}`;

/**
 * Keeps what events do to the to-dos of one target one after another: they come from streams that are followed side by side, and each
 * must see what the others have left. Held until the transaction ends, which follows one target.
 */
export async function lockTarget(tx: SqlExecutor, { type, id }: Target): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`todos ${type} ${id}`}, 0))`);
}

/** What was asked and done over time, on the rows of `todos`, where the target is locked. Each is a constant number of statements. */
export function todoSpans({ todos, acts }: { todos: Sql; acts: Sql }): {
  /** Takes note that a to-do was asked of each of these users. */
  ask(tx: SqlExecutor, target: Target, wanted: readonly WantedTodo[], at: Date): Promise<void>;
  /** Takes note that a user acted. */
  act(tx: SqlExecutor, target: Target, userId: number, at: Date): Promise<void>;
} {
  async function write(tx: SqlExecutor, target: Target, rows: readonly Row[]): Promise<void> {
    const values = (some: readonly Row[]): Sql => {
      const first = some.map(({ asks }) => asks[0]);
      const repeats = some.map(({ asks: [, ...more] }) =>
        more.length === 0 ? null : JSON.stringify(more.map(({ at, authorId }) => ({ at: at.getTime(), by: authorId }))),
      );
      return sql`unnest(${some.map(({ id }) => id ?? null)}::bigint[], ${first.map((ask) => ask?.authorId ?? null)}::bigint[],
        ${first.map((ask) => ask?.at ?? null)}::timestamptz[], ${some.map(({ until }) => until ?? null)}::timestamptz[],
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
        insert into ${todos} (user_id, author_id, action, project_id, target_type, target_id, target_iid, cause, body, note_id, state,
          created_at, updated_at, repeats)
        select span.user_id, span.author_id, span.action, ${target.projectId}, ${target.type}, ${target.id}, ${target.iid}, span.cause,
          span.body, span.note_id, case when span.done_at is null then 'pending' else 'done' end,
          span.asked_at, coalesce(span.done_at, span.asked_at), span.repeats::jsonb
        from ${values(made)}
        where not exists (
          select 1 from removed_targets gone where gone.target_type = ${target.type} and gone.target_id = ${target.id})
        order by span.position
        on conflict (user_id, target_type, target_id, action, cause) where state = 'pending' do nothing`);
  }

  return {
    async ask(tx, target, wanted, at) {
      const once = [...groupBy(wanted, keyOf).values()].flatMap(([first]) => first ?? []);
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
      const nextActs = new Map(later.map(({ user_id, first }) => [user_id, first]));
      const spans = groupBy(known.map(toRow), keyOf);
      const rows = once.map((one): Row => {
        const { into, span } = place(
          spans.get(keyOf(one)) ?? [],
          { at, authorId: one.authorId },
          nextActs.get(one.userId),
        );
        return { ...(into ?? { ...one, id: undefined }), ...span };
      });
      await write(tx, target, rows);
    },

    async act(tx, target, userId, at) {
      await tx.query(sql`
        insert into ${acts} (target_type, target_id, user_id, acted_at)
        values (${target.type}, ${target.id}, ${userId}, ${at}::timestamptz) on conflict do nothing`);
      const standing = await tx.query<Stored>(sql`
        select ${columns} from ${todos} t
        where ${onTarget(target)} and t.user_id = ${userId} and t.created_at < ${at}::timestamptz
          and (t.state = 'pending' or t.updated_at > ${at}::timestamptz)
        order by t.id for update of t`);
      const rows = standing.map(toRow).flatMap((row): Row[] => {
        const parts = settle(row, at);
        if (parts === undefined) return [];
        const { done, rest } = parts;
        return [{ ...row, ...done }, ...(rest === undefined ? [] : [{ ...row, ...rest, id: undefined }])];
      });
      await write(tx, target, rows);
    },
  };
}
