import type { NotificationSetting, SettingFacts, SettingPlace, ShownSetting } from '../domain/notification-setting';

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
