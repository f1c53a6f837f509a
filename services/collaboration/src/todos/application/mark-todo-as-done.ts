import { notFound } from '@switchyard/errors';
import { shownTargets, type TargetOwners, type TargetReader } from '../../targets';
import type { TodoWithTarget } from './list-todos';
import type { TodoList, TodoStore } from './todo.ports';

/** Marks one of the reader's to-dos as done (G-4.9-1). Fails with `not_found` for someone else's. */
export const markTodoAsDone =
  ({ list, todos, targets }: { list: TodoList; todos: TodoStore; targets: TargetOwners }) =>
  async (reader: TargetReader, id: number): Promise<TodoWithTarget> => {
    const before = await list.find(reader.actor, id);
    if (before === undefined) throw notFound();
    // Asked before the write: an owner that does not answer must not leave a to-do done that the client believes
    // pending.
    const target = (await shownTargets(targets, [before], reader, true))(before);
    if (target === undefined) throw notFound();
    await todos.markDone(reader.actor.userId, id);
    const todo = await list.find(reader.actor, id);
    if (todo === undefined) throw notFound();
    return { todo, target };
  };
