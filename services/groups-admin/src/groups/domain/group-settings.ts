import {
  type BranchProtection,
  branchNameProblems,
  isPaid,
  note,
  type Problems,
  rangeProblems,
  writtenRanges,
} from '../../rules';
import type { GroupSettings } from './group';
import { type GroupRow, settingsOf } from './group-row';

/** Settings to change; of the protection of default branches what is absent stays. */
export type GroupSettingsChange = Partial<Omit<GroupSettings, 'default_branch_protection_defaults'>> & {
  readonly default_branch_protection_defaults?: Partial<BranchProtection>;
};

/** Where settings are changed. */
interface SettingsPlace {
  /** The group as it is; undefined for a new one. */
  readonly group: GroupRow | undefined;
  /** Undefined at the top level. */
  readonly parent: GroupRow | undefined;
  /** Tier of the instance. */
  readonly tier: string;
}

const ofTopLevel = 'can only be set on a top-level group';

/** The protocol by which git reaches the projects of a group: that of the top-level group. */
const protocolOf = (group: GroupRow): string => group.git_protocol ?? 'all';

/** What is wrong with changed settings. */
export function settingsProblems(given: GroupSettingsChange, { parent, group, tier }: SettingsPlace): Problems {
  const problems: Problems = {};
  const { ip_restriction_ranges: ranges, enabled_git_access_protocol: protocol } = given;
  note(problems, 'default_branch', branchNameProblems(given.default_branch || undefined));
  if (isPaid(group ?? parent, tier)) {
    note(problems, 'ip_restriction_ranges', rangeProblems(ranges));
    if (parent !== undefined && ranges) note(problems, 'ip_restriction_ranges', [ofTopLevel]);
  }
  if (parent !== undefined && protocol !== undefined && protocol !== protocolOf(parent))
    note(problems, 'enabled_git_access_protocol', [ofTopLevel]);
  if (parent !== undefined && given.prevent_sharing_groups_outside_hierarchy)
    note(problems, 'prevent_sharing_groups_outside_hierarchy', [ofTopLevel]);
  return problems;
}

/** What is stored of changed settings that have no problems. */
export function storedSettings(given: GroupSettingsChange, place: SettingsPlace): Partial<GroupSettings> {
  const {
    default_branch_protection_defaults: protection,
    ip_restriction_ranges: ranges,
    enabled_git_access_protocol: protocol,
    ...others
  } = given;
  const { group, parent, tier } = place;
  const current = settingsOf(group ?? { settings: {} });
  return {
    ...others,
    ...(protection === undefined
      ? {}
      : { default_branch_protection_defaults: { ...current.default_branch_protection_defaults, ...protection } }),
    ...(protocol === undefined || parent !== undefined ? {} : { enabled_git_access_protocol: protocol }),
    // Ignored where it is not licensed (G-13-16).
    ...(ranges === undefined || !isPaid(group ?? parent, tier)
      ? {}
      : { ip_restriction_ranges: ranges === null ? null : writtenRanges(ranges) }),
  };
}
