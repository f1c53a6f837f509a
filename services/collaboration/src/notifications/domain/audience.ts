import type { EventFlag } from '@switchyard/notification-settings';
import type { Action } from './notification-event';

/** Whom an event reaches. */
export interface Audience {
  /** Flag of the level `custom`; undefined: those who do not take part cannot choose it. */
  readonly flag?: EventFlag;
  /**
   * `subject`: people of an issue, merge request, epic, commit or snippet. `owner`: whose pipeline it is. `members`: of the
   * project.
   */
  readonly of: 'subject' | 'owner' | 'members';
  /** Everybody who takes part, not only those whom the event names. */
  readonly participants: boolean;
  /** Users who watch. For `owner` and `members`: whether those at `participating` and `watch` get it at all. */
  readonly watchers: boolean;
}

const discussed = (flag?: EventFlag): Audience => ({
  ...(flag === undefined ? {} : { flag }),
  of: 'subject',
  participants: true,
  watchers: true,
});
const opened = (flag: EventFlag): Audience => ({ flag, of: 'subject', participants: false, watchers: true });
const quiet = (flag: EventFlag): Audience => ({ flag, of: 'subject', participants: true, watchers: false });
const named: Audience = { of: 'subject', participants: false, watchers: false };
const ofPipeline = (flag: EventFlag, watchers: boolean): Audience => ({
  flag,
  of: 'owner',
  participants: false,
  watchers,
});

/** Whom each event reaches; docs/notifications.md has the table. */
export const audiences: Readonly<Record<Action, Audience>> = {
  new_note: discussed('new_note'),
  mention_in_note: named,
  new_issue: opened('new_issue'),
  mention_in_issue: named,
  reopen_issue: discussed('reopen_issue'),
  close_issue: discussed('close_issue'),
  reassign_issue: discussed('reassign_issue'),
  move_issue: discussed(),
  issue_due: quiet('issue_due'),
  new_merge_request: opened('new_merge_request'),
  mention_in_merge_request: named,
  push_to_merge_request: quiet('push_to_merge_request'),
  reopen_merge_request: discussed('reopen_merge_request'),
  close_merge_request: discussed('close_merge_request'),
  reassign_merge_request: discussed('reassign_merge_request'),
  change_reviewer_merge_request: discussed('change_reviewer_merge_request'),
  merge_merge_request: discussed('merge_merge_request'),
  merge_when_pipeline_succeeds: discussed('merge_when_pipeline_succeeds'),
  approve_merge_request: discussed(),
  unapprove_merge_request: discussed(),
  merge_request_unmergeable: named,
  merge_train_removed: named,
  approver: { flag: 'approver', of: 'subject', participants: false, watchers: false },
  failed_pipeline: ofPipeline('failed_pipeline', true),
  fixed_pipeline: ofPipeline('fixed_pipeline', true),
  success_pipeline: ofPipeline('success_pipeline', false),
  // For those who chose it alone.
  new_release: { flag: 'new_release', of: 'members', participants: false, watchers: false },
  moved_project: { flag: 'moved_project', of: 'members', participants: false, watchers: true },
  new_epic: opened('new_epic'),
  mention_in_epic: named,
  reopen_epic: discussed(),
  close_epic: discussed(),
};
