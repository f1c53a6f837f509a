import { invalid } from '@switchyard/errors';
import {
  type Digest,
  type EventFlag,
  levelProblem,
  levelsOf,
  type NotificationLevel,
} from '@switchyard/notification-settings';
import { kindOfPlace, type NotificationSetting, type SettingPlace } from './notification-setting';

/** What a user sent; absent fields stay. */
export interface SettingChange {
  readonly level?: string | undefined;
  readonly events: Partial<Record<EventFlag, boolean>>;
  /** Empty: no address of their own. */
  readonly email?: string | undefined;
  readonly ownActivity?: boolean | undefined;
  readonly digest?: Digest | undefined;
}

const isLevelOf = (level: string, place: SettingPlace): level is NotificationLevel =>
  (levelsOf(kindOfPlace(place)) as readonly string[]).includes(level);

const same = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/**
 * The settings after a change (G-4.11-2).
 * @param confirmed confirmed addresses of the user
 * @throws AppError invalid for a level that the place does not have, or for an address that is not confirmed
 */
export function changeSetting(
  stored: NotificationSetting,
  change: SettingChange,
  { place, confirmed }: { readonly place: SettingPlace; readonly confirmed: readonly string[] },
): NotificationSetting {
  const { level = stored.level, email } = change;
  if (!isLevelOf(level, place)) throw invalid(levelProblem(level));
  const known = email === undefined ? stored.email : confirmed.find((address) => same(address, email));
  if (email !== undefined && email !== '' && known === undefined)
    throw invalid({ notification_email: ['must be an email you have verified'] });
  return {
    level,
    events: { ...stored.events, ...change.events },
    email: email === '' ? undefined : known,
    ownActivity: change.ownActivity ?? stored.ownActivity,
    digest: change.digest ?? stored.digest,
  };
}
