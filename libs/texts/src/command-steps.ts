import { parseDuration } from './durations';
import { emojiName, isEmoji } from './emoji-names';
import { type EpicName, epicNamed, epicsNamed } from './epic-names';
import { type HealthStatus, hasHealthStatus, healthStatusOf } from './health-status';
import { type Command, type CommandName, dueDate, labelNames, milestoneName, userNames } from './quick-actions';
import { changedSet, type SetChange } from './set-change';
import { parseTimeSpent, type TimeTracking } from './time-tracking';

/** What one command changes on an object. Undefined fields stay. */
export interface CommandedEdit {
  readonly stateEvent?: 'close' | 'reopen';
  readonly title?: string;
  /** Replaces the current ones. */
  readonly assigneeIds?: readonly number[];
  readonly addAssigneeIds?: readonly number[];
  readonly removeAssigneeIds?: readonly number[];
  /** Replaces the current ones. */
  readonly labels?: readonly string[];
  readonly addLabels?: readonly string[];
  readonly removeLabels?: readonly string[];
  readonly locked?: boolean;
  /** 0 removes it. */
  readonly milestoneId?: number;
  /** `YYYY-MM-DD`; null removes it. */
  readonly dueDate?: string | null;
  readonly confidential?: boolean;
  /** null removes it. */
  readonly healthStatus?: HealthStatus | null;
  /** As users write durations; null removes it. */
  readonly estimate?: string | null;
  /** As users write durations, negative to subtract; null removes all of it. */
  readonly spent?: string | null;
  /** The day of the work, `YYYY-MM-DD`, with `spent`. */
  readonly spentAt?: string | undefined;
  readonly subscribed?: boolean;
  /** The epic above an epic; null removes it. */
  readonly parentEpic?: EpicName | null;
  /** Comes to stand below an epic. */
  readonly childEpic?: EpicName;
  /** Goes from below an epic. */
  readonly removedChildEpic?: EpicName;
  /** The epic of an issue; null takes it out of it. */
  readonly epic?: EpicName | null;
  /** Links of an epic to others. */
  readonly related?: { readonly epics: readonly EpicName[]; readonly type: 'relates_to' | 'blocks' | 'is_blocked_by' };
  /** The epic whose link is taken away. */
  readonly unrelated?: EpicName;
  /** A review of a merge request. */
  readonly review?: 'approve' | 'unapprove' | 'request_changes';
}

/** The time tracking in an edit; undefined when there is none. */
export function timeTrackingOf({ estimate, spent, spentAt }: CommandedEdit): TimeTracking | undefined {
  if (estimate !== undefined) {
    return estimate === null ? { kind: 'reset_estimate', duration: '' } : { kind: 'estimate', duration: estimate };
  }
  if (spent === undefined) return undefined;
  return spent === null ? { kind: 'reset_spent', duration: '' } : { kind: 'spend', duration: spent, spentAt };
}

/** The change of assignees in an edit. */
export const assigneesIn = (edit: CommandedEdit): SetChange<number> => ({
  all: edit.assigneeIds,
  added: edit.addAssigneeIds,
  removed: edit.removeAssigneeIds,
});

/** The effect of a command: an edit, a to-do or a reaction, the fields of `commands_changes`, and its sentence of the summary. */
export interface CommandStep {
  readonly edit?: CommandedEdit;
  readonly todo?: 'add' | 'done';
  /** Name of an emoji. */
  readonly reaction?: string;
  readonly changes: Record<string, unknown>;
  readonly summary: string;
}

/** The sentence for a command that was not applied (G-2-18). */
export const notApplied = (name: CommandName): string => `Could not apply ${name} command.`;

const reviewSentences = {
  approve: 'Approved the merge request.',
  unapprove: 'Took the approval of the merge request back.',
  request_changes: 'Requested changes.',
} as const;

const draftMark = /^\s*(?:(?:\[draft\]|\(draft\)|draft:)\s*)+/i;

/** The object of the commands of one text. `assigneeIds` and `title` include the commands that were applied so far. */
export interface CommandSubject {
  /** The author of the text. */
  readonly userId: number;
  /** 0 where the object belongs to a group. */
  readonly projectId: number;
  /** The group of an epic; undefined for what belongs to a project. */
  readonly groupId?: number | undefined;
  /** The free tier has one assignee (G-4.2-13): a new one replaces the old one. */
  readonly tier: string;
  title: string;
  assigneeIds: readonly number[];
}

/** Updates the subject after an applied step, for the commands after it. */
export function advance(subject: CommandSubject, { edit }: CommandStep): void {
  if (edit?.title !== undefined) subject.title = edit.title;
  if (edit !== undefined) subject.assigneeIds = changedSet(subject.assigneeIds, assigneesIn(edit));
}

/** Resolves a command; undefined when it has no meaning here. It changes nothing. */
export type CommandSteps = (subject: CommandSubject, command: Command) => Promise<CommandStep | undefined>;

/** Where names of labels are looked up: in the group, where there is one, else in the project. */
export type CommandPlace = Pick<CommandSubject, 'projectId' | 'groupId'>;

/** Resolves the names in commands. */
export interface CommandNames {
  /** Users by name, without regard to case; the key is the name in lower case. */
  readonly users: (names: readonly string[]) => Promise<ReadonlyMap<string, { readonly id: number }>>;
  /** Labels a project or group may use, by exact title. */
  readonly labels: (place: CommandPlace, titles: readonly string[]) => Promise<readonly { readonly title: string }[]>;
  /** Milestones a project may use, by exact title. */
  readonly milestones: (
    projectId: number,
    title: string,
  ) => Promise<readonly { readonly id: number; readonly title: string }[]>;
}

const epicText = ({ path, iid }: EpicName): string => `${path}&${iid}`;

/** A change of what stands above, below and beside an epic; undefined where the argument names no epic. */
function epicStep(
  name: 'child_epic' | 'remove_child_epic' | 'parent_epic' | 'remove_parent_epic' | 'epic' | 'remove_epic' | 'unlink',
  argument: string,
): CommandStep | undefined {
  if (name === 'remove_epic')
    return { edit: { epic: null }, changes: { epic: null }, summary: 'Took it out of its epic.' };
  if (name === 'remove_parent_epic')
    return { edit: { parentEpic: null }, changes: { parent_epic: null }, summary: 'Removed the parent epic.' };
  const epic = epicNamed(argument);
  if (epic === undefined) return undefined;
  const written = epicText(epic);
  const changes = { [name]: written };
  switch (name) {
    case 'child_epic':
      return { edit: { childEpic: epic }, changes, summary: `Added ${written} as a child epic.` };
    case 'remove_child_epic':
      return { edit: { removedChildEpic: epic }, changes, summary: `Removed the child epic ${written}.` };
    case 'parent_epic':
      return { edit: { parentEpic: epic }, changes, summary: `Set ${written} as the parent epic.` };
    case 'epic':
      return { edit: { epic }, changes, summary: `Added it to the epic ${written}.` };
    case 'unlink':
      return { edit: { unrelated: epic }, changes, summary: `Removed the relation with ${written}.` };
  }
}

const linkTypes = { relate: 'relates_to', blocks: 'blocks', blocked_by: 'is_blocked_by' } as const;

const linkSentences = {
  relate: (names: string) => `Marked it as related to ${names}.`,
  blocks: (names: string) => `Marked it as blocking ${names}.`,
  blocked_by: (names: string) => `Marked it as blocked by ${names}.`,
} as const;

/** Links of an epic to those that an argument names; undefined where it names anything else. */
function linkStep(name: keyof typeof linkTypes, argument: string): CommandStep | undefined {
  const epics = epicsNamed(argument);
  if (epics === undefined) return undefined;
  const written = epics.map(epicText);
  return {
    edit: { related: { epics, type: linkTypes[name] } },
    changes: { [name]: written },
    summary: linkSentences[name](written.join(', ')),
  };
}

/** A reaction to it; undefined where there is no such emoji. */
function reactionStep(argument: string): CommandStep | undefined {
  const name = emojiName(argument.replace(/^:|:$/g, ''));
  return isEmoji(name)
    ? { reaction: name, changes: { emoji_award: name }, summary: `Reacted with :${name}:.` }
    : undefined;
}

/** Opens `CommandSteps`. */
export const commandSteps = ({ names: known, clock }: { names: CommandNames; clock: () => Date }): CommandSteps => {
  async function idsOf(subject: CommandSubject, argument: string): Promise<number[]> {
    const names = userNames(argument);
    const users = await known.users(names);
    return names.flatMap((name) => (name === 'me' ? subject.userId : (users.get(name.toLowerCase())?.id ?? [])));
  }
  async function labelsOf(subject: CommandSubject, argument: string): Promise<string[]> {
    const found = await known.labels(subject, labelNames(argument));
    return found.map(({ title }) => title);
  }
  return async (subject, { name, argument: written }) => {
    // Labels and milestones are stored in this Unicode form.
    const argument = written.normalize();
    switch (name) {
      case 'close':
      case 'reopen':
        return {
          edit: { stateEvent: name },
          changes: { state_event: name },
          summary: name === 'close' ? 'Closed it.' : 'Reopened it.',
        };
      case 'title':
        return argument === ''
          ? undefined
          : { edit: { title: argument }, changes: { title: argument }, summary: `Changed the title to "${argument}".` };
      case 'draft':
      case 'ready': {
        // Never toggles: a repeated command must have the same result.
        const draft = name === 'draft';
        const bare = subject.title.replace(draftMark, '');
        return {
          edit: { title: draft ? `Draft: ${bare}` : bare },
          changes: { wip_event: draft ? 'draft' : 'ready' },
          summary: draft ? 'Marked it as a draft.' : 'Marked it as ready.',
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
            summary: all ? 'Removed all labels.' : `Replaced the labels with ${quoted}.`,
          };
        return name === 'label'
          ? { edit: { addLabels: labels }, changes: { add_labels: labels }, summary: `Added ${quoted}.` }
          : { edit: { removeLabels: labels }, changes: { remove_labels: labels }, summary: `Removed ${quoted}.` };
      }
      case 'assign':
      case 'reassign':
      case 'unassign': {
        const ids = await idsOf(subject, argument);
        if (ids.length === 0 && (name !== 'unassign' || argument !== '')) return undefined;
        // Never the whole list for a part of it: others may change it at the same time.
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
          summary: name === 'unassign' ? 'Removed assignees.' : 'Changed the assignees.',
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
              summary: `Set the milestone to %"${found.title}".`,
            };
      }
      case 'remove_milestone':
        return { edit: { milestoneId: 0 }, changes: { milestone_id: null }, summary: 'Removed the milestone.' };
      case 'todo':
        return { todo: 'add', changes: { todo_event: 'add' }, summary: 'Added a to-do item.' };
      case 'done':
        return { todo: 'done', changes: { todo_event: 'done' }, summary: 'Marked the to-do item as done.' };
      case 'subscribe':
      case 'unsubscribe':
        return {
          edit: { subscribed: name === 'subscribe' },
          changes: { subscription_event: name },
          summary: name === 'subscribe' ? 'Subscribed to it.' : 'Unsubscribed from it.',
        };
      case 'approve':
      case 'unapprove':
      case 'request_changes':
        return { edit: { review: name }, changes: { review: name }, summary: reviewSentences[name] };
      case 'lock':
      case 'unlock':
        return {
          edit: { locked: name === 'lock' },
          changes: { discussion_locked: name === 'lock' },
          summary: name === 'lock' ? 'Locked the discussion.' : 'Unlocked the discussion.',
        };
      case 'due': {
        const date = dueDate(argument, clock());
        return date === undefined
          ? undefined
          : { edit: { dueDate: date }, changes: { due_date: date }, summary: `Set the due date to ${date}.` };
      }
      case 'remove_due_date':
        return { edit: { dueDate: null }, changes: { due_date: null }, summary: 'Removed the due date.' };
      case 'confidential':
        return { edit: { confidential: true }, changes: { confidential: true }, summary: 'Made it confidential.' };
      case 'health_status': {
        const healthStatus = hasHealthStatus(subject.tier) ? healthStatusOf(argument) : undefined;
        return healthStatus === undefined
          ? undefined
          : {
              edit: { healthStatus },
              changes: { health_status: healthStatus },
              summary: `Set the health status to ${healthStatus}.`,
            };
      }
      case 'clear_health_status':
        return hasHealthStatus(subject.tier)
          ? { edit: { healthStatus: null }, changes: { health_status: null }, summary: 'Removed the health status.' }
          : undefined;
      case 'estimate': {
        const seconds = parseDuration(argument);
        return seconds === undefined || seconds <= 0
          ? undefined
          : {
              edit: { estimate: argument },
              changes: { time_estimate: seconds },
              summary: `Set the estimate to ${argument}.`,
            };
      }
      case 'remove_estimate':
        return { edit: { estimate: null }, changes: { time_estimate: 0 }, summary: 'Removed the estimate.' };
      case 'spend': {
        const reported = parseTimeSpent(argument, clock());
        if (reported === undefined) return undefined;
        const { duration, seconds, spentAt } = reported;
        const dated = spentAt === undefined ? {} : { spent_at: spentAt };
        return {
          edit: { spent: duration, spentAt },
          changes: { spend_time: { duration: seconds, ...dated } },
          summary: `Added ${duration} of time spent${spentAt === undefined ? '' : ` at ${spentAt}`}.`,
        };
      }
      case 'child_epic':
      case 'remove_child_epic':
      case 'parent_epic':
      case 'remove_parent_epic':
      case 'epic':
      case 'remove_epic':
      case 'unlink':
        return epicStep(name, argument);
      case 'relate':
      case 'blocks':
      case 'blocked_by':
        return linkStep(name, argument);
      case 'react':
        return reactionStep(argument);
      case 'remove_time_spent':
        return {
          edit: { spent: null },
          changes: { spend_time: { duration: 'reset' } },
          summary: 'Removed the time spent.',
        };
    }
  };
};
