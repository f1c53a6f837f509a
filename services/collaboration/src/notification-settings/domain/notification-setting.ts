/** How much a user wants to know (api.md section 2, Notification settings). */
export const notificationLevels = ['disabled', 'participating', 'watch', 'global', 'mention', 'custom'] as const;

/** A level; `global` stands for what holds above. */
export type NotificationLevel = (typeof notificationLevels)[number];

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

/** Flags that are on until they are switched off (G-4.11-3). */
const onByDefault: ReadonlySet<EventFlag> = new Set(['failed_pipeline', 'fixed_pipeline']);

/** Whether a flag is on. */
export const isOn = (events: Partial<Record<EventFlag, boolean>>, flag: EventFlag): boolean =>
  events[flag] ?? onByDefault.has(flag);

/** When mails go out: each as it comes, or one a day. */
export type Digest = 'none' | 'daily';

/** The place that settings are of: a project, a group, or everywhere with both ids 0. */
export interface SettingPlace {
  readonly projectId: number;
  readonly groupId: number;
}

/** What kind of place it is. */
export const kindOfPlace = ({ projectId, groupId }: SettingPlace): 'project' | 'group' | 'global' =>
  projectId > 0 ? 'project' : groupId > 0 ? 'group' : 'global';

/** Settings of one user in one place. */
export interface NotificationSetting {
  readonly level: NotificationLevel;
  readonly events: Partial<Record<EventFlag, boolean>>;
  /** Address that the user chose; undefined: the one that holds above, at last the primary one. */
  readonly email: string | undefined;
  /** Mail about what they did themselves; everywhere only. */
  readonly ownActivity: boolean;
  /** Everywhere only. */
  readonly digest: Digest;
}

/** The settings of a place that were never changed (G-4.11-1). */
export const defaultSetting = (place: SettingPlace): NotificationSetting => ({
  level: kindOfPlace(place) === 'global' ? 'participating' : 'global',
  events: {},
  email: undefined,
  ownActivity: false,
  digest: 'none',
});

/**
 * Flags that a place has: epics are of groups and need the tier ultimate; approvals are of projects (G-4.11-3).
 */
export const flagsOf = (place: SettingPlace, tier: string): EventFlag[] => {
  const kind = kindOfPlace(place);
  return eventFlags.filter((flag) => {
    if (flag === 'new_epic') return kind !== 'project' && tier === 'ultimate';
    return flag !== 'approver' || kind !== 'group';
  });
};

/** What a change of settings is decided on. */
export interface SettingFacts {
  readonly stored: NotificationSetting;
  /** Confirmed addresses of the user. */
  readonly confirmed: readonly string[];
}

/** Settings with what is shown beside them. */
export interface ShownSetting {
  readonly setting: NotificationSetting;
  /** Address that mail of the user goes to, everywhere. */
  readonly email: string;
  /** Licence tier of the instance. */
  readonly tier: string;
}
