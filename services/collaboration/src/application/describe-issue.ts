import { type TimeTracking, trackTime, type WorkTimes } from '@switchyard/texts';
import { type CommandName, parseQuickActions } from '../domain/quick-action';
import { type CommandSteps, type CommandSubject, type NoteableEdit, timeTrackingOf } from './command-steps';

/** What is asked of an issue, as far as a description may command it; what is undefined stays. */
interface IssueWish {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly stateEvent?: 'close' | 'reopen' | undefined;
  readonly assigneeIds?: readonly number[] | undefined;
  /** In place of the present ones. */
  readonly labels?: readonly string[] | undefined;
  readonly addLabels: readonly string[];
  readonly removeLabels: readonly string[];
  readonly dueDate?: string | null | undefined;
  readonly confidential?: boolean | undefined;
  readonly discussionLocked?: boolean | undefined;
}

/** A wish with the commands of its description in it, and what they do to the times. */
export type DescribedIssue<W extends IssueWish> = W & { readonly tracking: readonly TimeTracking[] };

/** What belongs to a reader, not to the issue, stays in the text: it could not be done in the transaction of the change. */
const ofReaders: readonly CommandName[] = ['todo', 'done', 'subscribe', 'unsubscribe'];
const inDescriptions = {
  new: new Set<CommandName>([...ofReaders, 'close', 'reopen']),
  existing: new Set<CommandName>(ofReaders),
};

const lacking = (from: readonly string[], gone: readonly string[]): string[] => {
  const names = new Set(gone.map((name) => name.toLowerCase()));
  return from.filter((name) => !names.has(name.toLowerCase()));
};

function labelled(wish: IssueWish, edit: NoteableEdit): Pick<IssueWish, 'labels' | 'addLabels' | 'removeLabels'> {
  if (edit.labels !== undefined) return { labels: edit.labels, addLabels: [], removeLabels: [] };
  const { addLabels: added = [], removeLabels: removed = [] } = edit;
  return {
    labels: wish.labels && lacking(wish.labels, removed),
    addLabels: [...lacking(wish.addLabels, removed), ...added],
    removeLabels: [...lacking(wish.removeLabels, added), ...removed],
  };
}

/**
 * Takes the commands out of the description that is wished for and makes them part of the wish, so that they come true with it or not at
 * all: an issue that is to be confidential never is anything else. A command wins over the field it sets. One that makes no sense is
 * dropped.
 * @param issue whether it exists already: a new one cannot be closed
 */
export async function describeIssue<W extends IssueWish>(
  steps: CommandSteps,
  wish: W,
  issue: 'new' | 'existing',
  subject: CommandSubject,
): Promise<DescribedIssue<W>> {
  const { text, commands } = parseQuickActions(wish.description ?? '', 'Issue', inDescriptions[issue]);
  if (commands.length === 0) return { ...wish, tracking: [] };
  let described: W = { ...wish, description: text };
  const tracking: TimeTracking[] = [];
  for (const command of commands) {
    const edit = (await steps(subject, command))?.edit;
    if (edit === undefined) continue;
    const tracked = timeTrackingOf(edit);
    if (tracked !== undefined) tracking.push(tracked);
    described = {
      ...described,
      ...labelled(described, edit),
      title: edit.title ?? described.title,
      stateEvent: edit.stateEvent ?? described.stateEvent,
      assigneeIds: edit.assigneeIds ?? described.assigneeIds,
      dueDate: edit.dueDate === undefined ? described.dueDate : edit.dueDate,
      confidential: edit.confidential ?? described.confidential,
      discussionLocked: edit.locked ?? described.discussionLocked,
    };
  }
  return { ...described, tracking };
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
