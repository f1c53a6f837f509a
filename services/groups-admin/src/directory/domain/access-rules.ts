import { levels } from '@switchyard/rights';

/** The user for whom something is shown: what visibility depends on. */
export interface Viewer {
  /** 0: anonymous. */
  readonly userId: number;
  readonly admin: boolean;
  readonly external: boolean;
}

/** A project or group, for one viewer. */
export interface Viewed {
  readonly visibility: string;
  /** Effective level of the viewer, 0 to 50. */
  readonly level: number;
  /** Groups only: the viewer is a member of something below it. */
  readonly memberBelow: boolean;
}

/**
 * Whether a viewer sees a project or group that is not marked for deletion: public to all, internal to signed-in users
 * who are not external, private to members. The rule of `storage/viewer.ts` and of libs/directory, for one row.
 */
export function isVisible({ visibility, level, memberBelow }: Viewed, viewer: Viewer): boolean {
  if (visibility === 'public' || viewer.admin || level > 0 || memberBelow) return true;
  return visibility === 'internal' && viewer.userId > 0 && !viewer.external;
}

/**
 * Access levels of the features of a project: `disabled`, `private` (members) or `enabled`; that of packages may be
 * `public` as well, whatever the visibility of the project.
 */
export interface FeatureLevels {
  readonly repository: string;
  readonly mergeRequests: string;
  readonly issues: string;
  readonly monitor: string;
  readonly snippets: string;
  readonly packages: string;
}

/** The features that are closed to a viewer. */
type ClosedFeatures = Record<keyof FeatureLevels | 'mergeRequestsDisabled', boolean>;

/** Closed to who reads the packages of a project that they do not see (G-4.17-8). */
export const allButPackages: ClosedFeatures = {
  repository: true,
  mergeRequests: true,
  issues: true,
  monitor: true,
  snippets: true,
  packages: false,
  mergeRequestsDisabled: false,
};

/**
 * Features that are closed to a viewer with a level in the project; undefined when none is. Merge requests go with the
 * repository; that they are `disabled` is said apart, since creating one is refused with a text of its own (G-4.2-4).
 * The owner of issues refuses `disabled` ones itself.
 */
export function closedFeatures(
  { repository, mergeRequests, issues, monitor, snippets, packages }: FeatureLevels,
  { level, admin }: { readonly level: number; readonly admin: boolean },
): ClosedFeatures | undefined {
  const isPrivate = (feature: string, least: number): boolean => feature === 'private' && !admin && level < least;
  const isShut = (feature: string): boolean => feature === 'disabled' || isPrivate(feature, levels.guest);
  const code = isShut(repository);
  const requests = code || isPrivate(mergeRequests, levels.reporter);
  const closed = {
    repository: code,
    mergeRequests: requests,
    issues: isPrivate(issues, levels.guest),
    monitor: isShut(monitor),
    snippets: isShut(snippets),
    packages: isShut(packages),
    mergeRequestsDisabled: mergeRequests === 'disabled',
  };
  return Object.values(closed).includes(true) ? closed : undefined;
}
