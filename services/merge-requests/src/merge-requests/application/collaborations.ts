import { type CollaboratesOn, mayMerge, type RepositoryAccess } from '../../repositories';

/** A merge request that opens its source branch to those who may merge it, and what a user may do in its target. */
export interface OpenedBranch {
  readonly sourceBranch: string;
  readonly projectId: number;
  readonly targetBranch: string;
  /** Level of the user in the target project, 0 to 50. */
  readonly level: number;
  readonly admin: boolean;
}

/** What deciding on collaboration needs. */
export interface CollaborationEdges {
  /** Branches of a fork that are open in this way, at most a thousand; see storage/collaboration.store.ts. */
  readonly openedBranches: (sourceProjectId: number, userId: number) => Promise<readonly OpenedBranch[]>;
  readonly protectedBranches: RepositoryAccess['protectedBranches'];
}

/**
 * The branches of a fork that a user may push to since they may merge an open merge request from there, where no rule
 * protects them. Neither project is private, and the code of the fork is open to the user: a push would otherwise show
 * what they may not see.
 */
export const collaborations =
  ({ openedBranches, protectedBranches }: CollaborationEdges): CollaboratesOn =>
  async (projectId, userId) => {
    const branches = new Set<string>();
    if (userId === 0) return branches;
    const opened = await openedBranches(projectId, userId);
    const targets = [...new Set(opened.map((one) => one.projectId))];
    const rules = new Map(await Promise.all(targets.map(async (id) => [id, await protectedBranches.all(id)] as const)));
    for (const one of opened) {
      if (mayMerge(rules.get(one.projectId) ?? [], one.targetBranch, one)) branches.add(one.sourceBranch);
    }
    return branches;
  };
