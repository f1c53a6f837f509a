import { parseExpression, wildcard } from '@switchyard/patterns';
import type { Change } from '../../changes';
import { alertStatus, type Health } from './health';
import { ruleFor } from './switches';
import type { BranchStrategy, Place } from './webhook';

/** What decides whether a webhook gets a change. */
export interface WebhookRule extends Health {
  readonly place: Place;
  readonly events: readonly string[];
  readonly branchFilter: string | undefined;
  readonly branchStrategy: BranchStrategy;
}

/** A decision with its reason. */
export interface Decision {
  readonly decision: 'queued' | 'skipped';
  /** The switch or `system_event`; of what is skipped `branch_filter`, `disabled` or `temporarily_disabled`. */
  readonly rule: string;
}

/** Whether a filter takes a branch; one that cannot be read takes none. */
export function takesBranch(filter: string | undefined, strategy: BranchStrategy, branch: string): boolean {
  if (strategy === 'all_branches' || filter === undefined || filter === '') return true;
  if (strategy === 'wildcard') return wildcard(filter)(branch);
  try {
    return parseExpression(filter)(branch);
  } catch {
    return false;
  }
}

/**
 * Whether a webhook gets a change; undefined when its switch is off, which is no line of the ledger.
 */
export function decide(
  rule: WebhookRule,
  change: Pick<Change, 'kind' | 'confidential' | 'ref'>,
  now: Date,
): Decision | undefined {
  const needed = ruleFor(rule.place.kind, change);
  if (needed === undefined || (needed !== 'system_event' && !rule.events.includes(needed))) return undefined;
  if (change.kind === 'push' && !takesBranch(rule.branchFilter, rule.branchStrategy, change.ref)) {
    return { decision: 'skipped', rule: 'branch_filter' };
  }
  const status = alertStatus(rule, now);
  return status === 'executable' ? { decision: 'queued', rule: needed } : { decision: 'skipped', rule: status };
}
