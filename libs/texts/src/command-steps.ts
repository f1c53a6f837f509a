import { parseDuration } from './durations';
import { type Command, type CommandName, dueDate, labelNames, milestoneName, userNames } from './quick-actions';
import { changedSet, type SetChange } from './set-change';
import { parseTimeSpent, type TimeTracking } from './time-tracking';

/** One thing a command changes on an object; what is undefined stays. */
export interface CommandedEdit {
  readonly stateEvent?: 'close' | 'reopen';
  readonly title?: string;
  /** In place of the present ones. */
  readonly assigneeIds?: readonly number[];
  readonly addAssigneeIds?: readonly number[];
  readonly removeAssigneeIds?: readonly number[];
  /** In place of the present ones. */
  readonly labels?: readonly string[];
  readonly addLabels?: readonly string[];
  readonly removeLabels?: readonly string[];
  readonly locked?: boolean;
  /** 0 takes it away. */
  readonly milestoneId?: number;
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
export function timeTrackingOf({ estimate, spent }: CommandedEdit): TimeTracking | undefined {
  if (estimate !== undefined) {
    return estimate === null ? { kind: 'reset_estimate', duration: '' } : { kind: 'estimate', duration: estimate };
  }
  if (spent === undefined) return undefined;
  return spent === null ? { kind: 'reset_spent', duration: '' } : { kind: 'spend', duration: spent };
}

/** What an edit does to the people an object is assigned to. */
export const assigneesIn = (edit: CommandedEdit): SetChange<number> => ({
  all: edit.assigneeIds,
  added: edit.addAssigneeIds,
  removed: edit.removeAssigneeIds,
});

/** What a command comes to: an edit or a to-do, the field it prints, and what the summary says. */
export interface CommandStep {
  readonly edit?: CommandedEdit;
  readonly todo?: 'add' | 'done';
  readonly changes: Record<string, unknown>;
  readonly says: string;
}

/** What is said of a command that did not come true (G-2-18). */
export const notApplied = (name: CommandName): string => `Could not apply ${name} command.`;

const draftMark = /^\s*(?:(?:\[draft\]|\(draft\)|draft:)\s*)+/i;

/** What commands are about. They stand in a row: `assigneeIds` and `title` are what those that came true so far have left. */
export interface CommandSubject {
  /** Whoever writes. */
  readonly userId: number;
  readonly projectId: number;
  /** The free tier knows one assignee (G-4.2-13): whoever is assigned takes the place of another. */
  readonly tier: string;
  title: string;
  assigneeIds: readonly number[];
}

/** Takes note of a step that came true, for the commands after it. */
export function advance(subject: CommandSubject, { edit }: CommandStep): void {
  if (edit?.title !== undefined) subject.title = edit.title;
  if (edit !== undefined) subject.assigneeIds = changedSet(subject.assigneeIds, assigneesIn(edit));
}

/** Reads a command; undefined: it makes no sense here. Nothing is changed. */
export type CommandSteps = (subject: CommandSubject, command: Command) => Promise<CommandStep | undefined>;

/** Who and what the names in commands stand for. */
export interface CommandNames {
  /** Users by name, without regard to case; the key is the name in lower case. */
  readonly users: (names: readonly string[]) => Promise<ReadonlyMap<string, { readonly id: number }>>;
  /** Labels a project may use, by exact title. */
  readonly labels: (projectId: number, titles: readonly string[]) => Promise<readonly { readonly title: string }[]>;
  /** Milestones a project may use, by exact title. */
  readonly milestones: (
    projectId: number,
    title: string,
  ) => Promise<readonly { readonly id: number; readonly title: string }[]>;
}

/** Opens `CommandSteps`. */
export const commandSteps = ({ names: known, clock }: { names: CommandNames; clock: () => Date }): CommandSteps => {
  async function idsOf(subject: CommandSubject, argument: string): Promise<number[]> {
    const names = userNames(argument);
    const users = await known.users(names);
    return names.flatMap((name) => (name === 'me' ? subject.userId : (users.get(name.toLowerCase())?.id ?? [])));
  }
  async function labelsOf(subject: CommandSubject, argument: string): Promise<string[]> {
    const found = await known.labels(subject.projectId, labelNames(argument));
    return found.map(({ title }) => title);
  }
  return async (subject, { name, argument: written }) => {
    // Labels and milestones are stored in this form, however a keyboard writes them.
    const argument = written.normalize();
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
        const bare = subject.title.replace(draftMark, '');
        return {
          edit: { title: draft ? `Draft: ${bare}` : bare },
          changes: { wip_event: draft ? 'draft' : 'ready' },
          says: draft ? 'Marked it as a draft.' : 'Marked it as ready.',
        };
      }
      case 'label':
      case 'unlabel':
      case 'relabel': {
        const labels = await labelsOf(subject, argument);
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
        const ids = await idsOf(subject, argument);
        if (ids.length === 0 && (name !== 'unassign' || argument !== '')) return undefined;
        // Never the whole list where a part is meant: others may change it at the same time.
        const single = subject.tier === 'free';
        const edit: CommandedEdit =
          name === 'unassign'
            ? argument === ''
              ? { assigneeIds: [] }
              : { removeAssigneeIds: ids }
            : name === 'assign' && !single
              ? { addAssigneeIds: ids }
              : { assigneeIds: single ? ids.slice(0, 1) : ids };
        return {
          edit,
          changes: { assignee_ids: changedSet(subject.assigneeIds, assigneesIn(edit)) },
          says: name === 'unassign' ? 'Removed assignees.' : 'Changed the assignees.',
        };
      }
      case 'milestone': {
        const title = milestoneName(argument);
        const [found] = title === '' ? [] : await known.milestones(subject.projectId, title);
        return found === undefined
          ? undefined
          : {
              edit: { milestoneId: found.id },
              changes: { milestone_id: found.id },
              says: `Set the milestone to %"${found.title}".`,
            };
      }
      case 'remove_milestone':
        return { edit: { milestoneId: 0 }, changes: { milestone_id: null }, says: 'Removed the milestone.' };
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
  };
};
