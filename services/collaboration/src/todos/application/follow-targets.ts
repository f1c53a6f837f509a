import type { Tx } from '@switchyard/database';
import { consequencesOf, type TargetHappening } from '../domain/target-happening';
import type { TodoEffects } from './todo.ports';

/** Raises, resolves and removes to-dos as targets change, within the transaction that takes note of the event. */
export const followTargets =
  ({ todos }: { todos: TodoEffects }) =>
  async (tx: Tx, happening: TargetHappening, at: Date): Promise<void> => {
    const { removeAll, resolveFor, raise } = consequencesOf(happening);
    if (removeAll) await todos.removeTarget(tx, happening.target);
    if (resolveFor !== undefined) await todos.resolve(tx, happening.target, resolveFor, at);
    if (raise.length > 0) await todos.raise(tx, happening.target, raise, at);
  };
