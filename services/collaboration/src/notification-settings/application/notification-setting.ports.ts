import type { NotificationSetting, SettingPlace } from '../domain/notification-setting';

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

/** Notification settings of users, one row a place. */
export interface NotificationSettingStore {
  /** The settings of a user in a place; defaults where they were never changed. */
  find(userId: number, place: SettingPlace): Promise<ShownSetting>;
  /**
   * Locks the settings, decides, and saves them.
   * @throws AppError what `decide` throws
   */
  change(userId: number, place: SettingPlace, decide: (facts: SettingFacts) => NotificationSetting): Promise<void>;
  /** Removes up to `limit` settings of users, groups and projects that are gone; returns how many. */
  removeOrphans(limit: number): Promise<number>;
}
