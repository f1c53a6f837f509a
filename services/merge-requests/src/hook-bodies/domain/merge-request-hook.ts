import type { FieldChange, TrainEvidence } from '../../merge-requests';

/** What an act of a user was. */
export type HookAct = 'pushed' | 'approved' | 'unapproved' | 'changes_requested' | 'other';

/** What happened to the merge train that a merge request is on, or was on. */
export type TrainHappened =
  | {
      readonly event: 'added' | 'moved_to_front';
      readonly entryId: number;
      readonly targetBranch: string;
      readonly position: number;
    }
  | {
      readonly event: 'overtaken';
      readonly entryId: number;
      readonly targetBranch: string;
      readonly position: number;
      /** Number of the merge request that was put ahead. */
      readonly byIid: number;
      readonly addedById: number;
    }
  | {
      readonly event: 'removed';
      readonly entryId: number;
      readonly targetBranch: string;
      readonly addedById: number;
      /** `pipeline_failed`, `conflict` …, see the proto. */
      readonly reason: string;
      /** Undefined without one. */
      readonly pipelineId: number | undefined;
      /** What shows that it failed itself; undefined where it did not. */
      readonly evidence: TrainEvidence | undefined;
    }
  | {
      readonly event: 'running' | 'paused' | 'draining';
      readonly entryId: number;
      readonly targetBranch: string;
      /** In the words of who did it. */
      readonly reason: string | undefined;
      readonly until: Date | undefined;
      /** It stopped itself, as its target branch seems to fail by these names. */
      readonly targetFailing: boolean;
      readonly statusNames: readonly string[];
      /** False for all cars but the first. */
      readonly firstCar: boolean;
    };

/** What happened to auto-merge. */
export interface AutoMergeHappened {
  readonly event: 'set' | 'canceled' | 'aborted';
  /** It joins a merge train when its checks pass. */
  readonly mergeTrain: boolean;
  readonly setById: number;
  /** Why it was aborted. */
  readonly reason: string | undefined;
}

/** A fact of a merge request as far as hooks tell it. */
export type MergeRequestHappened =
  | { readonly kind: 'created' }
  | {
      readonly kind: 'updated';
      readonly changes: readonly FieldChange[];
      readonly timeChanges: readonly { readonly field: string; readonly old: number; readonly new: number }[];
    }
  | { readonly kind: 'closed' | 'reopened' | 'merged' }
  | {
      readonly kind: 'acted';
      readonly act: HookAct;
      readonly push?: { readonly oldSha: string; readonly newSha: string } | undefined;
      readonly approved?: boolean | undefined;
      readonly lostApprovalUserIds: readonly number[];
    }
  | { readonly kind: 'train'; readonly train: TrainHappened }
  | { readonly kind: 'auto_merge'; readonly autoMerge: AutoMergeHappened }
  /** No hook tells it. */
  | { readonly kind: 'other' };

/** Values of a field before and after, as JSON has them; `people` and `labels` are ids that are to be shown. */
export type HookChange =
  | { readonly name: string; readonly type: 'value'; readonly previous: HookValue; readonly current: HookValue }
  | {
      readonly name: string;
      readonly type: 'people' | 'labels';
      readonly previous: readonly number[];
      readonly current: readonly number[];
    };

/** A value of a field. */
export type HookValue = string | number | boolean | null;

/** One hook body of a merge request. */
export interface MergeRequestHook {
  readonly action:
    | 'open'
    | 'update'
    | 'close'
    | 'reopen'
    | 'merge'
    | 'approved'
    | 'unapproved'
    | 'approval'
    | 'unapproval';
  readonly changes: readonly HookChange[];
  /** What a push moved the source branch from and to. */
  readonly push?: { readonly oldSha: string; readonly newSha: string };
  /** Why it happened without the wish of the actor: `approvals_reset_on_push`. */
  readonly systemAction?: string;
  readonly train?: TrainHappened;
  readonly autoMerge?: AutoMergeHappened;
}

const flag = (text: string): boolean | null => (text === '' ? null : text === 'true');
const text = (value: string): string | null => (value === '' ? null : value);
const number = (value: string): number | null => (value === '' ? null : Number(value));

/** Names of single fields in hook bodies, and how their texts are read. */
const fields: Readonly<Record<string, readonly [name: string, read: (text: string) => HookValue]>> = {
  title: ['title', (value) => value],
  description: ['description', text],
  target_branch: ['target_branch', (value) => value],
  draft: ['draft', flag],
  milestone: ['milestone_id', number],
  discussion_locked: ['discussion_locked', flag],
  squash: ['squash', flag],
  allow_collaboration: ['allow_collaboration', flag],
  force_remove_source_branch: ['force_remove_source_branch', flag],
  merge_after: ['merge_after', text],
  time_estimate: ['time_estimate', number],
  time_spent: ['total_time_spent', number],
};

const sets: Readonly<Record<string, 'people' | 'labels'>> = {
  assignees: 'people',
  reviewers: 'people',
  labels: 'labels',
};

function hookChange({ field, old, new: now, oldIds, newIds }: FieldChange): HookChange[] {
  const type = sets[field];
  if (type !== undefined) return [{ name: field, type, previous: oldIds, current: newIds }];
  const known = fields[field];
  if (known === undefined) return [];
  const [name, read] = known;
  return [{ name, type: 'value', previous: read(old), current: read(now) }];
}

/** Numbers of states in `changes.state_id`. */
const stateIds = { opened: 1, closed: 2, merged: 3 } as const;

const stateChange = (from: keyof typeof stateIds, to: keyof typeof stateIds): HookChange[] => [
  { name: 'state_id', type: 'value', previous: stateIds[from], current: stateIds[to] },
];

const actHooks = ({
  act,
  push,
  approved = true,
  lostApprovalUserIds,
}: Extract<MergeRequestHappened, { kind: 'acted' }>): MergeRequestHook[] => {
  const moved: MergeRequestHook[] =
    act === 'pushed' ? [{ action: 'update', changes: [], ...(push === undefined ? {} : { push }) }] : [];
  if (act === 'approved') return [{ action: approved ? 'approved' : 'approval', changes: [] }];
  if (act !== 'unapproved' && lostApprovalUserIds.length === 0) return moved;
  const lost: MergeRequestHook = { action: approved ? 'unapproved' : 'unapproval', changes: [] };
  return [...moved, act === 'pushed' ? { ...lost, systemAction: 'approvals_reset_on_push' } : lost];
};

/**
 * The hook bodies that a fact gives, in their order. A train that stops or starts is told once, by its first car; an
 * edit of fields that hooks do not name is an update without changes.
 */
export function mergeRequestHooks(happened: MergeRequestHappened): MergeRequestHook[] {
  switch (happened.kind) {
    case 'created':
      return [{ action: 'open', changes: [] }];
    case 'updated': {
      const times = happened.timeChanges.map(({ field, old, new: now }) => ({
        ...{ field, oldIds: [], newIds: [] },
        ...{ old: String(old), new: String(now) },
      }));
      return [{ action: 'update', changes: [...happened.changes, ...times].flatMap(hookChange) }];
    }
    case 'closed':
      return [{ action: 'close', changes: stateChange('opened', 'closed') }];
    case 'reopened':
      return [{ action: 'reopen', changes: stateChange('closed', 'opened') }];
    case 'merged':
      return [{ action: 'merge', changes: stateChange('opened', 'merged') }];
    case 'acted':
      return actHooks(happened);
    case 'train': {
      const { train } = happened;
      return 'firstCar' in train && !train.firstCar ? [] : [{ action: 'update', changes: [], train }];
    }
    case 'auto_merge':
      return [{ action: 'update', changes: [], autoMerge: happened.autoMerge }];
    case 'other':
      return [];
  }
}
