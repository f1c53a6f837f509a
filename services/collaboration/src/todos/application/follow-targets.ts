import type { Tx } from '@switchyard/database';
import { consequencesOf, type TargetEvent } from '../domain/target-consequences';
import type { TodoEffects } from './todo.ports';

/** Raises, resolves and removes to-dos as targets change, within the transaction that handles the event. */
export const followTargets =
  ({ todos }: { todos: TodoEffects }) =>
  async (tx: Tx, event: TargetEvent, at: Date): Promise<void> => {
    const { removeAll, resolveFor, raise } = consequencesOf(event);
    if (removeAll) await todos.removeTarget(tx, event.target);
    if (resolveFor !== undefined) await todos.resolve(tx, event.target, resolveFor, at);
    if (raise.length > 0) await todos.raise(tx, event.target, raise, at);
  };
