import type { Digest, EventFlag, NotificationLevel } from '@switchyard/notification-settings';
import { isOn, type NotificationSetting } from './notification-setting';

/** Settings of one user in one place, as they are stored. */
export interface StoredSetting extends NotificationSetting {
  readonly userId: number;
  readonly projectId: number;
  readonly groupId: number;
}

/** What holds for a user in a project. */
export interface EffectiveSetting {
  readonly level: Exclude<NotificationLevel, 'global'>;
  /** Where the level comes from. */
  readonly from: 'project' | 'group' | 'global' | 'default';
  /** The group that it comes from; 0 for none. */
  readonly groupId: number;
  /** Whether a flag of the level `custom` is on where the level comes from. */
  readonly isOn: (flag: EventFlag) => boolean;
  /** Chosen address; undefined: the primary one. */
  readonly email: string | undefined;
  readonly ownActivity: boolean;
  readonly digest: Digest;
}

/**
 * What holds for a user in a project (G-4.11-1): the level of the project, else of the nearest group above that has one,
 * else everywhere. The address is that of the nearest group that has one, else everywhere.
 * @param rows the settings of the user, those of other places may be among them
 * @param groupIds groups above the project from the root down
 */
export function effectiveSetting(
  rows: readonly StoredSetting[],
  { projectId, groupIds }: { readonly projectId: number; readonly groupIds: readonly number[] },
): EffectiveSetting {
  const everywhere = rows.find((row) => row.projectId === 0 && row.groupId === 0);
  const nearest = [...groupIds]
    .reverse()
    .flatMap((id) => rows.find((row) => row.projectId === 0 && row.groupId === id) ?? []);
  const project = projectId === 0 ? undefined : rows.find((row) => row.projectId === projectId);
  const deciding = [...(project === undefined ? [] : [project]), ...nearest].find(({ level }) => level !== 'global');
  const source = deciding ?? everywhere;
  const level = source?.level ?? 'participating';
  return {
    level: level === 'global' ? 'participating' : level,
    from: fromOf(source),
    groupId: source?.groupId ?? 0,
    isOn: (flag) => isOn(source?.events ?? {}, flag),
    email: nearest.find(({ email }) => email !== undefined)?.email ?? everywhere?.email,
    ownActivity: everywhere?.ownActivity ?? false,
    digest: everywhere?.digest ?? 'none',
  };
}

function fromOf(source: StoredSetting | undefined): EffectiveSetting['from'] {
  if (source === undefined) return 'default';
  if (source.projectId > 0) return 'project';
  return source.groupId > 0 ? 'group' : 'global';
}

/** Where mail for a user goes: the address they chose, as long as it is confirmed, else the primary one. */
export function addressFor(
  { email, confirmed }: { readonly email: string; readonly confirmed: readonly string[] },
  chosen: string | undefined,
): string {
  const known = chosen?.toLowerCase();
  return confirmed.find((address) => address.toLowerCase() === known) ?? email;
}
