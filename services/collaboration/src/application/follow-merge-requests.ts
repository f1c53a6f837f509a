import type { Tx } from '@switchyard/database';
import { consequencesOf, type MergeRequestHappening } from '../domain/merge-request-happening';
import type { TodoEffects } from '../storage/todo.store';

/** Raises, resolves and removes to-dos as merge requests and issues go their way, within the transaction that takes note of the event. */
export const followMergeRequests =
  ({ todos }: { todos: TodoEffects }) =>
  async (tx: Tx, happening: MergeRequestHappening, at: Date): Promise<void> => {
    const { removeAll, resolveFor, raise } = consequencesOf(happening);
    if (removeAll) await todos.removeTarget(tx, happening.target);
    if (resolveFor !== undefined) await todos.resolve(tx, happening.target, resolveFor, at);
    if (raise.length > 0) await todos.raise(tx, happening.target, raise, at);
  };
