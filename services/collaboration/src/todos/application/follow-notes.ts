import type { Tx } from '@switchyard/database';
import type { Target } from '../../targets';
import { consequencesOfNote, type NoteTodoFact } from '../domain/note-consequences';
import type { TodoEffects } from './todo.ports';

/** Raises and resolves to-dos as users comment, within the transaction that handles the event. */
export const followNotes =
  ({ todos }: { todos: TodoEffects }) =>
  async (
    tx: Tx,
    { target, actorId, fact, at }: { target: Target; actorId: number; fact: NoteTodoFact; at: Date },
  ): Promise<void> => {
    const { resolveFor, raise } = consequencesOfNote(actorId, fact);
    if (resolveFor !== undefined) await todos.resolve(tx, target, resolveFor, at);
    if (raise.length > 0) await todos.raise(tx, target, raise, at);
  };
