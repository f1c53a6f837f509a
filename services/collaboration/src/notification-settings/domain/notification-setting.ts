import {
  type Digest,
  type EventFlag,
  flagsOf as flagsOfScope,
  type NotificationLevel,
  type SettingScope,
} from '@switchyard/notification-settings';

/** Flags that are on until they are switched off (G-4.11-3). */
const onByDefault: ReadonlySet<EventFlag> = new Set(['failed_pipeline', 'fixed_pipeline']);

/** Whether a flag is on. */
export const isOn = (events: Partial<Record<EventFlag, boolean>>, flag: EventFlag): boolean =>
  events[flag] ?? onByDefault.has(flag);

/** The place that settings are of: a project, a group, or everywhere with both ids 0. */
export interface SettingPlace {
  readonly projectId: number;
  readonly groupId: number;
}

/** What kind of place it is. */
export const kindOfPlace = ({ projectId, groupId }: SettingPlace): SettingScope =>
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

/** Flags that a place has in a licence tier: epics are of the tier ultimate (G-4.11-3). */
export const flagsOf = (place: SettingPlace, tier: string): EventFlag[] =>
  flagsOfScope(kindOfPlace(place)).filter((flag) => flag !== 'new_epic' || tier === 'ultimate');

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
