import {
  advance,
  assigneesIn,
  type CommandedEdit,
  type CommandSteps,
  type CommandSubject,
  timeTrackingOf,
} from './command-steps';
import { type CommandName, parseQuickActions } from './quick-actions';
import { bothChanges } from './set-change';
import { type TimeTracking, trackTime, type WorkTimes } from './time-tracking';

/** What is asked of an issue or merge request, as far as its description may command it; what is undefined stays. */
export interface DescribedWish {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly stateEvent?: 'close' | 'reopen' | undefined;
  /** In place of the present ones. */
  readonly assigneeIds?: readonly number[] | undefined;
  readonly addAssigneeIds?: readonly number[] | undefined;
  readonly removeAssigneeIds?: readonly number[] | undefined;
  /** In place of the present ones. */
  readonly labels?: readonly string[] | undefined;
  readonly addLabels: readonly string[];
  readonly removeLabels: readonly string[];
  /** 0 takes it away. */
  readonly milestoneId?: number | undefined;
  /** `YYYY-MM-DD`; null takes it away. */
  readonly dueDate?: string | null | undefined;
  readonly confidential?: boolean | undefined;
  readonly discussionLocked?: boolean | undefined;
}

/** A wish with the commands of its description in it, what they do to the times, and which there were. */
export type Described<W extends DescribedWish> = W & {
  readonly tracking: readonly TimeTracking[];
  readonly commanded: ReadonlySet<CommandName>;
};

/** What belongs to a reader, not to the object, stays in the text: it could not be done in the transaction of the change. */
const ofReaders: readonly CommandName[] = ['todo', 'done', 'subscribe', 'unsubscribe'];
const inDescriptions = {
  new: new Set<CommandName>([...ofReaders, 'close', 'reopen']),
  existing: new Set<CommandName>(ofReaders),
};

function labelled(
  wish: DescribedWish,
  edit: CommandedEdit,
): Pick<DescribedWish, 'labels' | 'addLabels' | 'removeLabels'> {
  const { all, added, removed } = bothChanges(
    { all: wish.labels, added: wish.addLabels, removed: wish.removeLabels },
    { all: edit.labels, added: edit.addLabels, removed: edit.removeLabels },
    (title) => title.toLowerCase(),
  );
  return { labels: all, addLabels: added, removeLabels: removed };
}

function assigned(
  wish: DescribedWish,
  edit: CommandedEdit,
): Pick<DescribedWish, 'assigneeIds' | 'addAssigneeIds' | 'removeAssigneeIds'> {
  const { all, added, removed } = bothChanges(assigneesIn(wish), assigneesIn(edit));
  return { assigneeIds: all, addAssigneeIds: added, removeAssigneeIds: removed };
}

/**
 * Takes the commands out of the description that is wished for and makes them part of the wish, so that they come true with it or not at
 * all: an issue that is to be confidential never is anything else. A command wins over the field it sets. One that makes no sense is
 * dropped.
 * @param object its kind, and whether it exists already: a new one cannot be closed
 */
export async function withCommands<W extends DescribedWish>(
  steps: CommandSteps,
  wish: W,
  { kind, age }: { readonly kind: 'Issue' | 'MergeRequest'; readonly age: 'new' | 'existing' },
  subject: CommandSubject,
): Promise<Described<W>> {
  const { text, commands } = parseQuickActions(wish.description ?? '', kind, inDescriptions[age]);
  if (commands.length === 0) return { ...wish, tracking: [], commanded: new Set() };
  let described: W = { ...wish, description: text };
  const tracking: TimeTracking[] = [];
  for (const command of commands) {
    const step = await steps(subject, command);
    if (step?.edit === undefined) continue;
    const { edit } = step;
    advance(subject, step);
    const tracked = timeTrackingOf(edit);
    if (tracked !== undefined) tracking.push(tracked);
    described = {
      ...described,
      ...labelled(described, edit),
      ...assigned(described, edit),
      title: edit.title ?? described.title,
      stateEvent: edit.stateEvent ?? described.stateEvent,
      milestoneId: edit.milestoneId ?? described.milestoneId,
      dueDate: edit.dueDate === undefined ? described.dueDate : edit.dueDate,
      confidential: edit.confidential ?? described.confidential,
      discussionLocked: edit.locked ?? described.discussionLocked,
    };
  }
  return { ...described, tracking, commanded: new Set(commands.map(({ name }) => name)) };
}

/** Times after some tracking, one after the other; what cannot be done is passed over. */
export function trackAll(times: WorkTimes, tracking: readonly TimeTracking[]): Partial<WorkTimes> {
  let changed: Partial<WorkTimes> = {};
  for (const one of tracking) {
    const tracked = trackTime({ ...times, ...changed }, one);
    if ('times' in tracked) changed = { ...changed, ...tracked.times };
  }
  return changed;
}
