import type { Database } from '@switchyard/database';
import { labelsByTitles, usersByUsernames } from '@switchyard/directory';
import { isAppError } from '@switchyard/errors';
import { parseDuration, parseTimeSpent, type TimeTracking } from '@switchyard/texts';
import type { Noteable, NoteableKind } from '../domain/noteable';
import { type Command, type CommandOutcome, dueDate, labelNames, userNames } from '../domain/quick-action';
import type { Reader } from './noteables';

/** One thing a command changes on an object; what is undefined stays. */
export interface NoteableEdit {
  readonly stateEvent?: 'close' | 'reopen';
  readonly title?: string;
  readonly assigneeIds?: readonly number[];
  /** In place of the present ones. */
  readonly labels?: readonly string[];
  readonly addLabels?: readonly string[];
  readonly removeLabels?: readonly string[];
  readonly locked?: boolean;
  /** `YYYY-MM-DD`; null takes it away. */
  readonly dueDate?: string | null;
  readonly confidential?: boolean;
  /** As people write durations; null takes it away. */
  readonly estimate?: string | null;
  /** As people write durations, negative to subtract; null takes all of it away. */
  readonly spent?: string | null;
  readonly subscribed?: boolean;
}

/** What an edit does to the times of an object; undefined when nothing. */
export function timeTrackingOf({ estimate, spent }: NoteableEdit): TimeTracking | undefined {
  if (estimate !== undefined) {
    return estimate === null ? { kind: 'reset_estimate', duration: '' } : { kind: 'estimate', duration: estimate };
  }
  if (spent === undefined) return undefined;
  return spent === null ? { kind: 'reset_spent', duration: '' } : { kind: 'spend', duration: spent };
}

/** Changes an object of one kind in the name of whoever writes, by the owner's own rules. Fails as the owner's endpoint would. */
export type NoteableEditor = (reader: Reader, noteable: Noteable, edit: NoteableEdit) => Promise<void>;

/** To-dos that commands make and finish. */
export interface CommandTodos {
  /** Makes a to-do of the reader on a noteable; nothing when one is pending. */
  mark(reader: Reader, noteable: Noteable): Promise<void>;
  /** Finishes the reader's to-dos on a noteable. */
  finish(reader: Reader, noteable: Noteable): Promise<void>;
}

/** What commands are run with. */
export interface CommandEdges {
  readonly db: Database;
  readonly editors: { readonly [Kind in NoteableKind]?: NoteableEditor };
  readonly todos: CommandTodos;
  readonly clock: () => Date;
}

/** Runs the commands of a note in their order. What the writer may not do, or what makes no sense, is left undone and said. */
export type RunCommands = (reader: Reader, noteable: Noteable, commands: readonly Command[]) => Promise<CommandOutcome>;

/** What a command comes to: an edit or a to-do, the field it prints, and what the summary says. */
interface Step {
  readonly edit?: NoteableEdit;
  readonly todo?: 'add' | 'done';
  readonly changes: Record<string, unknown>;
  readonly says: string;
}

const draftMark = /^\s*(?:(?:\[draft\]|\(draft\)|draft:)\s*)+/i;

/** Opens `RunCommands`. */
export const runQuickActions =
  ({ db, editors, todos, clock }: CommandEdges): RunCommands =>
  async (reader, noteable, commands) => {
    const idsOf = async (argument: string): Promise<number[]> => {
      const names = userNames(argument);
      const users = await usersByUsernames(db, names);
      return names.flatMap((name) => (name === 'me' ? reader.actor.userId : (users.get(name.toLowerCase())?.id ?? [])));
    };
    const labelsOf = async (argument: string): Promise<string[]> => {
      const found = await labelsByTitles(db, noteable.projectId, labelNames(argument));
      return found.map(({ title }) => title);
    };
    let assigneeIds = [...noteable.assigneeIds];
    let title = noteable.title;

    /** undefined: the command makes no sense here. */
    async function stepOf({ name, argument }: Command): Promise<Step | undefined> {
      switch (name) {
        case 'close':
        case 'reopen':
          return {
            edit: { stateEvent: name },
            changes: { state_event: name },
            says: name === 'close' ? 'Closed it.' : 'Reopened it.',
          };
        case 'title':
          return argument === ''
            ? undefined
            : { edit: { title: argument }, changes: { title: argument }, says: `Changed the title to "${argument}".` };
        case 'draft':
        case 'ready': {
          // Never the other way round: a command that is sent once more must come to the same.
          const draft = name === 'draft';
          const bare = title.replace(draftMark, '');
          return {
            edit: { title: draft ? `Draft: ${bare}` : bare },
            changes: { wip_event: draft ? 'draft' : 'ready' },
            says: draft ? 'Marked it as a draft.' : 'Marked it as ready.',
          };
        }
        case 'label':
        case 'unlabel':
        case 'relabel': {
          const labels = await labelsOf(argument);
          const all = name !== 'label' && argument === '';
          if (labels.length === 0 && !all) return undefined;
          const quoted = labels.map((label) => `~"${label}"`).join(' ');
          if (all || name === 'relabel')
            return {
              edit: { labels },
              changes: { labels },
              says: all ? 'Removed all labels.' : `Replaced the labels with ${quoted}.`,
            };
          return name === 'label'
            ? { edit: { addLabels: labels }, changes: { add_labels: labels }, says: `Added ${quoted}.` }
            : { edit: { removeLabels: labels }, changes: { remove_labels: labels }, says: `Removed ${quoted}.` };
        }
        case 'assign':
        case 'reassign':
        case 'unassign': {
          const ids = await idsOf(argument);
          if (ids.length === 0 && (name !== 'unassign' || argument !== '')) return undefined;
          assigneeIds =
            name === 'assign'
              ? [...new Set([...assigneeIds, ...ids])]
              : name === 'reassign'
                ? ids
                : argument === ''
                  ? []
                  : assigneeIds.filter((id) => !ids.includes(id));
          return {
            edit: { assigneeIds },
            changes: { assignee_ids: assigneeIds },
            says: name === 'unassign' ? 'Removed assignees.' : 'Changed the assignees.',
          };
        }
        case 'todo':
          return { todo: 'add', changes: { todo_event: 'add' }, says: 'Added a to-do item.' };
        case 'done':
          return { todo: 'done', changes: { todo_event: 'done' }, says: 'Marked the to-do item as done.' };
        case 'subscribe':
        case 'unsubscribe':
          return {
            edit: { subscribed: name === 'subscribe' },
            changes: { subscription_event: name },
            says: name === 'subscribe' ? 'Subscribed to it.' : 'Unsubscribed from it.',
          };
        case 'lock':
        case 'unlock':
          return {
            edit: { locked: name === 'lock' },
            changes: { discussion_locked: name === 'lock' },
            says: name === 'lock' ? 'Locked the discussion.' : 'Unlocked the discussion.',
          };
        case 'due': {
          const date = dueDate(argument, clock());
          return date === undefined
            ? undefined
            : { edit: { dueDate: date }, changes: { due_date: date }, says: `Set the due date to ${date}.` };
        }
        case 'remove_due_date':
          return { edit: { dueDate: null }, changes: { due_date: null }, says: 'Removed the due date.' };
        case 'confidential':
          return { edit: { confidential: true }, changes: { confidential: true }, says: 'Made it confidential.' };
        case 'estimate': {
          const seconds = parseDuration(argument);
          return seconds === undefined || seconds <= 0
            ? undefined
            : {
                edit: { estimate: argument },
                changes: { time_estimate: seconds },
                says: `Set the estimate to ${argument}.`,
              };
        }
        case 'remove_estimate':
          return { edit: { estimate: null }, changes: { time_estimate: 0 }, says: 'Removed the estimate.' };
        case 'spend': {
          const reported = parseTimeSpent(argument, clock());
          if (reported === undefined) return undefined;
          const { duration, seconds, spentAt } = reported;
          const dated = spentAt === undefined ? {} : { spent_at: spentAt };
          return {
            edit: { spent: duration },
            changes: { spend_time: { duration: seconds, ...dated } },
            says: `Added ${duration} of time spent${spentAt === undefined ? '' : ` at ${spentAt}`}.`,
          };
        }
        case 'remove_time_spent':
          return {
            edit: { spent: null },
            changes: { spend_time: { duration: 'reset' } },
            says: 'Removed the time spent.',
          };
      }
    }

    let changes: Record<string, unknown> = {};
    const summary: string[] = [];
    for (const command of commands) {
      const step = await stepOf(command);
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
      if (step.edit?.title !== undefined) title = step.edit.title;
      changes = { ...changes, ...step.changes };
      summary.push(step.says);
    }
    return { changes, summary };
  };
