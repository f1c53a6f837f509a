import {
  advance,
  assigneesIn,
  type CommandedEdit,
  type CommandSteps,
  type CommandSubject,
  timeTrackingOf,
} from './command-steps';
import type { EpicName } from './epic-names';
import type { HealthStatus } from './health-status';
import { type CommandName, parseQuickActions } from './quick-actions';
import { bothChanges } from './set-change';
import { type ChangedTimes, type TimeTracking, trackTime, type WorkTimes } from './time-tracking';

/**
 * The fields of a request on an issue, merge request or epic that its description may also command. Undefined fields stay.
 */
export interface DescribedRequest {
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly stateEvent?: 'close' | 'reopen' | undefined;
  /** Replaces the current ones. */
  readonly assigneeIds?: readonly number[] | undefined;
  readonly addAssigneeIds?: readonly number[] | undefined;
  readonly removeAssigneeIds?: readonly number[] | undefined;
  /** Replaces the current ones. */
  readonly labels?: readonly string[] | undefined;
  readonly addLabels: readonly string[];
  readonly removeLabels: readonly string[];
  /** 0 removes it. */
  readonly milestoneId?: number | undefined;
  /** `YYYY-MM-DD`; null removes it. */
  readonly dueDate?: string | null | undefined;
  readonly confidential?: boolean | undefined;
  readonly discussionLocked?: boolean | undefined;
  /** null removes it. */
  readonly healthStatus?: HealthStatus | null | undefined;
  /** The epic of an issue; null takes it out of it. */
  readonly epic?: EpicName | null | undefined;
  /** The epic above an epic; null takes it out of it. */
  readonly parentEpic?: EpicName | null | undefined;
}

/** A request with the commands of its description applied, their time tracking, and their names. */
export type Described<R extends DescribedRequest> = R & {
  readonly tracking: readonly TimeTracking[];
  readonly commanded: ReadonlySet<CommandName>;
};

/**
 * Commands about a reader or about other objects, not about the object itself, stay in the text: they cannot be part of
 * the transaction of the change.
 */
const ofOthers: readonly CommandName[] = [
  'todo',
  'done',
  'subscribe',
  'unsubscribe',
  'approve',
  'unapprove',
  'request_changes',
  'react',
  'child_epic',
  'remove_child_epic',
  'relate',
  'blocks',
  'blocked_by',
  'unlink',
];
const inDescriptions = {
  new: new Set<CommandName>([...ofOthers, 'close', 'reopen']),
  existing: new Set<CommandName>(ofOthers),
};

function labelled(
  request: DescribedRequest,
  edit: CommandedEdit,
): Pick<DescribedRequest, 'labels' | 'addLabels' | 'removeLabels'> {
  const { all, added, removed } = bothChanges(
    { all: request.labels, added: request.addLabels, removed: request.removeLabels },
    { all: edit.labels, added: edit.addLabels, removed: edit.removeLabels },
    (title) => title.toLowerCase(),
  );
  return { labels: all, addLabels: added, removeLabels: removed };
}

function assigned(
  request: DescribedRequest,
  edit: CommandedEdit,
): Pick<DescribedRequest, 'assigneeIds' | 'addAssigneeIds' | 'removeAssigneeIds'> {
  const { all, added, removed } = bothChanges(assigneesIn(request), assigneesIn(edit));
  return { assigneeIds: all, addAssigneeIds: added, removeAssigneeIds: removed };
}

/**
 * Moves the commands of a description into the request, so that both take effect together or not at all: a
 * `/confidential` issue is confidential from its first row on. A command overrides the field it sets. A command without
 * a meaning is dropped.
 * @param object its kind, and whether it exists already: a new one cannot be closed
 */
export async function withCommands<R extends DescribedRequest>(
  steps: CommandSteps,
  request: R,
  { kind, age }: { readonly kind: 'Issue' | 'MergeRequest' | 'Epic'; readonly age: 'new' | 'existing' },
  subject: CommandSubject,
): Promise<Described<R>> {
  const { text, commands } = parseQuickActions(request.description ?? '', kind, inDescriptions[age]);
  if (commands.length === 0) return { ...request, tracking: [], commanded: new Set() };
  let described: R = { ...request, description: text };
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
      healthStatus: edit.healthStatus === undefined ? described.healthStatus : edit.healthStatus,
      epic: edit.epic === undefined ? described.epic : edit.epic,
      parentEpic: edit.parentEpic === undefined ? described.parentEpic : edit.parentEpic,
      discussionLocked: edit.locked ?? described.discussionLocked,
    };
  }
  return { ...described, tracking, commanded: new Set(commands.map(({ name }) => name)) };
}

/** Times after several changes in order; a change that is not possible is skipped. */
export function trackAll(times: WorkTimes, tracking: readonly TimeTracking[]): ChangedTimes {
  let changed: ChangedTimes = { times: {}, logs: [] };
  for (const one of tracking) {
    const tracked = trackTime({ ...times, ...changed.times }, one);
    if ('times' in tracked)
      changed = { times: { ...changed.times, ...tracked.times }, logs: [...changed.logs, ...tracked.logs] };
  }
  return changed;
}
