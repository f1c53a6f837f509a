import type { Database, SqlExecutor } from '@switchyard/database';
import { type Noteable, noteableStore } from '../../noteables';
import type { CommandTodos } from '../../notes';
import type { Target } from '../../targets';
import type { TodoStore } from './todo.ports';

/** What a to-do on a noteable points at; undefined where there are no to-dos on its kind. */
async function targetOf(tx: SqlExecutor, noteable: Noteable): Promise<Target | undefined> {
  const { kind, targetId, iid = 0, projectId, groupId } = noteable;
  if (kind === 'MergeRequest' || kind === 'Issue' || kind === 'AlertManagement::Alert')
    return { type: kind, id: targetId, iid, projectId };
  if (kind === 'Epic' && groupId !== undefined) return { type: kind, id: targetId, iid, projectId, groupId };
  if (kind !== 'Commit') return undefined;
  // The commit may have no note yet: its row is inserted.
  const { id, removed } = await noteableStore.lock(tx, noteable);
  return removed ? undefined : { type: kind, id, iid, projectId };
}

/** `/todo` and `/done` on the service's own to-dos. */
export const commandTodos = (db: Database, todos: TodoStore): CommandTodos => ({
  async mark({ actor }, noteable) {
    const target = await targetOf(db, noteable);
    if (target !== undefined) await todos.mark(actor.userId, target);
  },
  async finish({ actor }, noteable) {
    await db.transaction(async (tx) => {
      const target = await targetOf(tx, noteable);
      if (target !== undefined) await todos.finish(tx, target, actor.userId);
    });
  },
});
