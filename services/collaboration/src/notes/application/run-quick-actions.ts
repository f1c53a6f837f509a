import { createHash } from 'node:crypto';
import { forbidden, isAppError } from '@switchyard/errors';
import { advance, type Command, type CommandSteps, type CommandSubject, notApplied } from '@switchyard/texts';
import type { CommandOrigin, Noteable, NoteableEditor, NoteableKind, Reader } from '../../noteables';

/** To-dos that commands make and finish. */
export interface CommandTodos {
  /** Makes a to-do of the reader on a noteable; nothing when one is pending. */
  mark(reader: Reader, noteable: Noteable): Promise<void>;
  /** Finishes the reader's to-dos on a noteable. */
  finish(reader: Reader, noteable: Noteable): Promise<void>;
}

/** Reacts to a noteable in the name of the reader. Fails where they may not, and where they have already. */
export type CommandReactions = (reader: Reader, noteable: Noteable, name: string) => Promise<unknown>;

/** What commands are run with. */
export interface CommandEdges {
  readonly steps: CommandSteps;
  readonly editors: { readonly [Kind in NoteableKind]?: NoteableEditor };
  readonly todos: CommandTodos;
  readonly react: CommandReactions;
}

/** The outcome of quick actions: the fields of G-2-18. */
export interface CommandOutcome {
  readonly changes: Readonly<Record<string, unknown>>;
  readonly summary: readonly string[];
}

/** Whether a quick action adds to the time spent, or takes from it. */
export const tracksTime = ({ name }: Command): boolean => name === 'spend' || name === 'remove_time_spent';

/** There were no quick actions. */
export const noCommands: CommandOutcome = { changes: {}, summary: [] };

/**
 * Runs the quick actions of a note in their order. What the writer may not do, or cannot be done, is skipped and
 * reported. A text with a refused `/confidential` was meant for few users, so nothing of it may be written: that fails
 * with `forbidden`.
 * @param hasText whether the note has text in addition to its quick actions
 * @param origin the note, and what names these quick actions where they may be run again
 */
export type RunCommands = (
  reader: Reader,
  noteable: Noteable,
  commands: readonly Command[],
  hasText: boolean,
  origin?: CommandOrigin,
) => Promise<CommandOutcome>;

/**
 * `/confidential` before all others: where it is refused, these must not run, and they must not be visible to more
 * users than it leaves.
 */
const confidentialFirst = (commands: readonly Command[]): Command[] =>
  [...commands].sort((one, other) => Number(other.name === 'confidential') - Number(one.name === 'confidential'));

/** Names each command of a text by what it says, so that an edit of the rest of the text changes no name. */
function causes(ofText: string | undefined): (command: Command) => string | undefined {
  const seen = new Map<string, number>();
  return ({ name, argument }) => {
    if (ofText === undefined) return undefined;
    const said = createHash('sha256').update(`${name} ${argument}`).digest('hex');
    const place = seen.get(said) ?? 0;
    seen.set(said, place + 1);
    return `${ofText}:${said}:${place}`;
  };
}

/** Opens `RunCommands`. */
export const runQuickActions = ({ steps, editors, todos, react }: CommandEdges): RunCommands => {
  return async (reader, noteable, commands, hasText, { noteId, cause } = {}) => {
    const { projectId, groupId, title, assigneeIds } = noteable;
    const { actor, access } = reader;
    const subject: CommandSubject = {
      userId: actor.userId,
      projectId,
      groupId,
      tier: access?.tier ?? '',
      title,
      assigneeIds,
    };
    let changes: Record<string, unknown> = {};
    const summary: string[] = [];
    const causeOf = causes(cause);
    for (const command of confidentialFirst(commands)) {
      const step = await steps(subject, command);
      const editor = editors[noteable.kind];
      if (step === undefined || (step.edit !== undefined && editor === undefined)) {
        summary.push(notApplied(command.name));
        continue;
      }
      try {
        const origin = { noteId, cause: causeOf(command) };
        if (step.edit !== undefined) await editor?.(reader, noteable, step.edit, origin);
        if (step.todo === 'add') await todos.mark(reader, noteable);
        if (step.todo === 'done') await todos.finish(reader, noteable);
        if (step.reaction !== undefined) await react(reader, noteable, step.reaction);
      } catch (error) {
        // A refusal by the owner is an outcome; an unavailable owner is an error.
        if (!isAppError(error) || error.status >= 500) throw error;
        if (hasText && command.name === 'confidential') throw forbidden(notApplied(command.name));
        summary.push(notApplied(command.name));
        continue;
      }
      advance(subject, step);
      changes = { ...changes, ...step.changes };
      summary.push(step.summary);
    }
    return { changes, summary };
  };
};
