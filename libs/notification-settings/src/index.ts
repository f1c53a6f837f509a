/** What notification settings can be of: everywhere, a group and what lies below it, a project. */
export type SettingScope = 'global' | 'group' | 'project';

/** How much a user wants to know (api.md section 2, Notification settings). */
export const notificationLevels = ['disabled', 'participating', 'watch', 'global', 'mention', 'custom'] as const;

/** A level; `global` stands for what holds above. */
export type NotificationLevel = (typeof notificationLevels)[number];

/** Levels that a scope has: there is nothing above everywhere. */
export const levelsOf = (scope: SettingScope): NotificationLevel[] =>
  notificationLevels.filter((level) => level !== 'global' || scope !== 'global');

/** The refusal of a level that is none (G-4.11-2). */
export const levelProblem = (level: string): string => `'${level}' is not a valid level`;

/** Flags of the level `custom`, in the order in which they are shown (api.md section 2, G-4.11-3). */
export const eventFlags = [
  'new_release',
  'new_note',
  'new_issue',
  'reopen_issue',
  'close_issue',
  'reassign_issue',
  'issue_due',
  'new_merge_request',
  'push_to_merge_request',
  'reopen_merge_request',
  'close_merge_request',
  'reassign_merge_request',
  'change_reviewer_merge_request',
  'merge_merge_request',
  'failed_pipeline',
  'fixed_pipeline',
  'success_pipeline',
  'moved_project',
  'merge_when_pipeline_succeeds',
  'new_epic',
  'approver',
  'service_account_failed_pipeline',
  'service_account_success_pipeline',
  'service_account_fixed_pipeline',
] as const;

/** A flag of the level `custom`. */
export type EventFlag = (typeof eventFlags)[number];

/** Flags that not every scope has: epics are of groups, approvals of projects (G-4.11-3). */
const missing: Readonly<Record<SettingScope, readonly EventFlag[]>> = {
  global: [],
  group: ['approver'],
  project: ['new_epic'],
};

/** Flags that a scope has, whatever the licence tier. */
export const flagsOf = (scope: SettingScope): EventFlag[] =>
  eventFlags.filter((flag) => !missing[scope].includes(flag));

/** How mails go out: each as it comes, one a day, or none at all. */
export const digests = ['none', 'daily', 'stopped'] as const;

/** When mails go out. */
export type Digest = (typeof digests)[number];
