import { developer, maintainer, type ProjectAccess, type ProtectedBranch } from './protected-branch';

/** How the first branch of a project, which becomes its default, is protected (G-4.15-5). */
export interface DefaultProtection
  extends Pick<ProtectedBranch, 'pushAccessLevel' | 'mergeAccessLevel' | 'allowForcePush'> {
  /** Developers may push that branch, no matter who may push to it afterwards. */
  readonly developerCanInitialPush: boolean;
}

/** The same in the namespaces of users, which say nothing: that of the instance. */
export const instanceProtection: DefaultProtection = {
  pushAccessLevel: maintainer,
  mergeAccessLevel: maintainer,
  allowForcePush: false,
  developerCanInitialPush: true,
};

/** True when it refuses nothing to anyone who may push: such a branch gets no rule. */
const protectsNothing = ({ pushAccessLevel, mergeAccessLevel, allowForcePush }: DefaultProtection): boolean =>
  pushAccessLevel === developer && mergeAccessLevel === developer && allowForcePush;

/** The rule that a new default branch gets; undefined where it is not protected. */
export const ruleOfDefault = (protection: DefaultProtection): DefaultProtection | undefined =>
  protectsNothing(protection) ? undefined : protection;

/**
 * True when the first branch of a project is there, or this user may push it: Maintainers whatever the protection, since
 * someone has to, and Developers where they may push to the branch anyway, or for this once.
 */
export const mayBegin = (
  { pushed, defaultProtection }: { readonly pushed: boolean; readonly defaultProtection: DefaultProtection },
  { level }: ProjectAccess,
): boolean =>
  pushed ||
  level >= maintainer ||
  (level >= developer &&
    (defaultProtection.developerCanInitialPush || defaultProtection.pushAccessLevel === developer));
