import type { Logger } from '@switchyard/telemetry';
import type { TodoStore } from '../storage/todo.store';

/** Milliseconds between two sweeps: nobody can see an orphan, so nothing hurries. */
const interval = 60_000;

/** To-dos one statement removes; keeps its locks short. */
const batch = 1_000;

/** Removes the to-dos of deleted users and projects (D5), now and every minute. */
export function removeOrphanedTodos({ todos, log }: { todos: TodoStore; log: Logger }): { close(): Promise<void> } {
  let stopped = false;
  const sweep = async (): Promise<void> => {
    try {
      let removed = batch;
      while (!stopped && removed === batch) removed = await todos.removeOrphans(batch);
      await todos.forgetRemovedTargets();
    } catch (error) {
      log.warn({ err: error }, 'orphaned to-dos could not be removed');
    }
  };
  let running = sweep();
  const timer = setInterval(() => {
    running = running.then(sweep);
  }, interval);
  timer.unref();
  return {
    async close() {
      stopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
