import type { Raise } from './todo';
import { mergeIntoSpans, resolveSpan, type TodoSpan } from './todo-span';

/** A to-do that is requested from a user. */
export interface NewTodo {
  readonly userId: number;
  readonly authorId: number;
  readonly action: string;
  readonly cause: string;
  readonly body: string | undefined;
  readonly noteId: number | undefined;
}

/** A to-do of a user on a locked target; without an id it is new. */
export interface UserTodo extends TodoSpan, Omit<NewTodo, 'authorId'> {
  readonly id: number | undefined;
}

/**
 * The to-dos that are raised, one for each recipient.
 * @param users ids by mentioned name in lower case
 * @param members ids of the members of the project by their least access level
 */
export const newTodos = (
  raise: readonly Raise[],
  users: ReadonlyMap<string, readonly number[]>,
  members: ReadonlyMap<number, readonly number[]>,
): NewTodo[] =>
  raise.flatMap(({ action, to, authorId, cause = '', body, noteId }) => {
    const ids = recipientsOf(to, users, members);
    return ids.map((userId) => ({ userId, action, authorId: authorId ?? userId, cause, body, noteId }));
  });

function recipientsOf(
  to: Raise['to'],
  users: ReadonlyMap<string, readonly number[]>,
  members: ReadonlyMap<number, readonly number[]>,
): readonly number[] {
  if ('ids' in to) return to.ids;
  if ('membersFrom' in to) return members.get(to.membersFrom) ?? [];
  return to.usernames.flatMap((name) => users.get(name.toLowerCase()) ?? []);
}

/**
 * Those to-dos whose users may read what they are about.
 * @param readers users who may read the target
 * @param noteReaders users who may read a note, by its id
 */
export const readableTodos = (
  wanted: readonly NewTodo[],
  readers: ReadonlySet<number>,
  noteReaders: ReadonlyMap<number, ReadonlySet<number>>,
): NewTodo[] =>
  wanted.filter(
    ({ userId, noteId }) =>
      readers.has(userId) && (noteId === undefined || noteReaders.get(noteId)?.has(userId) === true),
  );

/** The same key: one to-do at a time is pending. */
const keyOf = ({ userId, action, cause }: Pick<NewTodo, 'userId' | 'action' | 'cause'>): string =>
  JSON.stringify([userId, action, cause]);

function groupByKey<T extends Pick<NewTodo, 'userId' | 'action' | 'cause'>>(todos: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const todo of todos) {
    const group = groups.get(keyOf(todo));
    if (group === undefined) groups.set(keyOf(todo), [todo]);
    else group.push(todo);
  }
  return groups;
}

/** The first of each user, action and cause. */
export const distinctTodos = (wanted: readonly NewTodo[]): NewTodo[] =>
  [...groupByKey(wanted).values()].flatMap(([first]) => first ?? []);

/**
 * Requests to-dos.
 * @param stored the to-dos of the same users, actions and causes
 * @param wanted distinct ones
 * @param nextActivities the first activity of each user on the target after `at`
 */
export function requestTodos(
  stored: readonly UserTodo[],
  wanted: readonly NewTodo[],
  at: Date,
  nextActivities: ReadonlyMap<number, Date>,
): UserTodo[] {
  const spans = groupByKey(stored);
  return wanted.map((todo) => {
    const request = { at, authorId: todo.authorId };
    const { into, span } = mergeIntoSpans(spans.get(keyOf(todo)) ?? [], request, nextActivities.get(todo.userId));
    const { userId, action, cause, body, noteId } = todo;
    return { ...(into ?? { id: undefined, userId, action, cause, body, noteId }), ...span };
  });
}

/** Resolves to-dos of one user by an activity; only those that it changes are returned. */
export const resolveTodos = (stored: readonly UserTodo[], at: Date): UserTodo[] =>
  stored.flatMap((todo): UserTodo[] => {
    const parts = resolveSpan(todo, at);
    if (parts === undefined) return [];
    const { done, rest } = parts;
    return [{ ...todo, ...done }, ...(rest === undefined ? [] : [{ ...todo, ...rest, id: undefined }])];
  });
