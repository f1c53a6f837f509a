import type { NewLedgerEntry } from '../../ledger';
import type { Target } from '../../targets';
import type { NewTodo } from './todo-change';

/**
 * What the ledger says of to-dos that were wanted.
 * @param raised those of them whose users may read what they are about
 */
export function todoEntries(target: Target, wanted: readonly NewTodo[], raised: readonly NewTodo[]): NewLedgerEntry[] {
  const made = new Set(raised);
  return wanted.map((todo) => ({
    userId: todo.userId,
    projectId: target.type === 'Namespace' ? 0 : target.projectId,
    groupId: target.type === 'Namespace' ? target.id : (target.groupId ?? 0),
    target: { type: target.type, id: target.id, iid: target.iid },
    event: todo.action,
    channel: 'todo',
    decision: made.has(todo) ? 'send' : 'skip',
    rule: made.has(todo) ? todo.action : 'access',
    detail: '',
  }));
}
