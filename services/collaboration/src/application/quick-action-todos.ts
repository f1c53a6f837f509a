import type { Database } from '@switchyard/database';
import type { Noteable } from '../domain/noteable';
import type { TodoTarget } from '../domain/todo';
import type { TodoStore } from '../storage/todo.store';
import type { CommandTodos } from './run-quick-actions';

/** What a to-do on a noteable points at; undefined where there are no to-dos on its kind. */
const targetOf = ({ kind, targetId, iid = 0, projectId }: Noteable): TodoTarget | undefined =>
  kind === 'MergeRequest' || kind === 'Issue' ? { type: kind, id: targetId, iid, projectId } : undefined;

/** `/todo` and `/done` on the service's own to-dos. */
export const commandTodos = (db: Database, todos: TodoStore): CommandTodos => ({
  async mark({ actor }, noteable) {
    const target = targetOf(noteable);
    if (target !== undefined) await todos.mark(actor.userId, target);
  },
  async finish({ actor }, noteable) {
    const target = targetOf(noteable);
    if (target !== undefined) await db.transaction((tx) => todos.resolve(tx, target, actor.userId));
  },
});
