import { repeat } from '@switchyard/background';
import type { TodoStore } from './todo.ports';

/** Milliseconds between two purges: orphans are not visible, so they are not urgent. */
const interval = 60_000;

/** Rows one statement removes; keeps its locks short. */
const batch = 1_000;

/** Removes the to-dos of deleted users and projects (D5), now and every minute. */
export const removeOrphanedTodos = (todos: TodoStore) =>
  repeat('orphaned to-dos', interval, async (stopping) => {
    let removed = batch;
    while (!stopping.aborted && removed === batch) removed = await todos.removeOrphans(batch);
    await todos.forgetRemovedTargets();
    let forgotten = batch;
    while (!stopping.aborted && forgotten === batch) forgotten = await todos.forgetActs(batch);
  });
