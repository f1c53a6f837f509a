import { repeat } from '@switchyard/background';
import type { SettingPlace, ShownSetting } from '../domain/notification-setting';
import { changeSetting, type SettingChange } from '../domain/setting-change';
import type { NotificationSettingStore } from './notification-setting.ports';

/** Builds the use cases of settings. */
export const manageSettings = (store: NotificationSettingStore) => ({
  get: (userId: number, place: SettingPlace): Promise<ShownSetting> => store.find(userId, place),

  /** Changes settings (G-4.11-2). */
  async update(userId: number, place: SettingPlace, change: SettingChange): Promise<ShownSetting> {
    await store.change(userId, place, ({ stored, confirmed }) => changeSetting(stored, change, { place, confirmed }));
    return store.find(userId, place);
  },
});

/** What `manageSettings` gives. */
export type SettingUseCases = ReturnType<typeof manageSettings>;

/** Milliseconds between two purges: settings of what is gone are read by nothing. */
const interval = 600_000;

/** Settings one statement removes; keeps its locks short. */
const batch = 1_000;

/** Purges settings of users, groups and projects that are gone. */
export const purgeSettings = (store: Pick<NotificationSettingStore, 'removeOrphans'>) =>
  repeat('notification settings of what is gone', interval, async (stopping) => {
    while (!stopping.aborted && (await store.removeOrphans(batch)) === batch);
  });
