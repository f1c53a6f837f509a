import type { Access } from '@switchyard/protos/rpc/v1/identity';

/** What may have labels, milestones and members. */
export type ParentKind = 'group' | 'project';

/** The parent that a path names, as it travels. */
export const parentOf = (kind: ParentKind, { id }: Access) =>
  kind === 'group' ? { groupId: id, projectId: 0 } : { groupId: 0, projectId: id };
