/** Who looks: what visibility depends on. */
export interface Viewer {
  /** 0: anonymous. */
  readonly userId: number;
  readonly admin: boolean;
  readonly external: boolean;
}

/** What is looked at. */
export interface Viewed {
  readonly visibility: string;
  /** Effective level of the viewer, 0 to 50. */
  readonly level: number;
  /** Groups only: the viewer is a member of something below it. */
  readonly memberBelow: boolean;
}

/**
 * Whether a viewer sees a project or group that is not marked for deletion: public to all, internal to signed-in users who are not
 * external, private to members. The rule of `storage/viewer.ts` and of libs/directory, for one row.
 */
export function isVisible({ visibility, level, memberBelow }: Viewed, viewer: Viewer): boolean {
  if (visibility === 'public' || viewer.admin || level > 0 || memberBelow) return true;
  return visibility === 'internal' && viewer.userId > 0 && !viewer.external;
}
