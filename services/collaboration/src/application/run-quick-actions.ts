import { isAppError } from '@switchyard/errors';
import type { Command, CommandedEdit, CommandSteps, CommandSubject } from '@switchyard/texts';
import type { Noteable, NoteableKind } from '../domain/noteable';
import type { Reader } from './noteables';

/** Changes an object of one kind in the name of whoever writes, by the owner's own rules. Fails as the owner's endpoint would. */
export type NoteableEditor = (reader: Reader, noteable: Noteable, edit: CommandedEdit) => Promise<void>;

/** To-dos that commands make and finish. */
export interface CommandTodos {
  /** Makes a to-do of the reader on a noteable; nothing when one is pending. */
  mark(reader: Reader, noteable: Noteable): Promise<void>;
  /** Finishes the reader's to-dos on a noteable. */
  finish(reader: Reader, noteable: Noteable): Promise<void>;
}

/** What commands are run with. */
export interface CommandEdges {
  readonly steps: CommandSteps;
  readonly editors: { readonly [Kind in NoteableKind]?: NoteableEditor };
  readonly todos: CommandTodos;
}

/** What came of commands: the fields of G-2-18. */
export interface CommandOutcome {
  readonly changes: Readonly<Record<string, unknown>>;
  readonly summary: readonly string[];
}

/** Nothing was commanded. */
export const noCommands: CommandOutcome = { changes: {}, summary: [] };

/** Runs the commands of a note in their order. What the writer may not do, or what makes no sense, is left undone and said. */
export type RunCommands = (reader: Reader, noteable: Noteable, commands: readonly Command[]) => Promise<CommandOutcome>;

/** Opens `RunCommands`. */
export const runQuickActions = ({ steps, editors, todos }: CommandEdges): RunCommands => {
  return async (reader, noteable, commands) => {
    const { projectId, title, assigneeIds } = noteable;
    const subject: CommandSubject = { userId: reader.actor.userId, projectId, title, assigneeIds };
    let changes: Record<string, unknown> = {};
    const summary: string[] = [];
    for (const command of commands) {
      const step = await steps(subject, command);
      const editor = editors[noteable.kind];
      if (step === undefined || (step.edit !== undefined && editor === undefined)) {
        summary.push(`Could not apply ${command.name} command.`);
        continue;
      }
      try {
        if (step.edit !== undefined) await editor?.(reader, noteable, step.edit);
        if (step.todo === 'add') await todos.mark(reader, noteable);
        if (step.todo === 'done') await todos.finish(reader, noteable);
      } catch (error) {
        // The owner's refusal is the answer; that the owner is away is not.
        if (!isAppError(error) || error.status >= 500) throw error;
        summary.push(`Could not apply ${command.name} command.`);
        continue;
      }
      if (step.edit?.title !== undefined) subject.title = step.edit.title;
      changes = { ...changes, ...step.changes };
      summary.push(step.says);
    }
    return { changes, summary };
  };
};
