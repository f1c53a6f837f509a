import {
  allowsForcePush,
  developer,
  mayPush,
  mayPushTo,
  nobody,
  type ProjectAccess,
  type ProtectedBranch,
  rulesOf,
} from './protected-branch';
import { type ProtectedTag, refusalOfTagPush } from './protected-tag';
import { branchOf, creates, deletes, type RefUpdate, tagOf } from './ref-change';

/** What a push is judged by. */
export interface PushContext {
  readonly rules: readonly ProtectedBranch[];
  readonly tagRules: readonly ProtectedTag[];
  readonly access: ProjectAccess;
  /** Unprotected branches that the user may push to as one who may merge them elsewhere. */
  readonly collaboratesOn: ReadonlySet<string>;
  /** Default branch of the project. */
  readonly defaultBranch: string;
  /** Whether the first branch is there, or this user may push it. */
  readonly mayBegin: boolean;
}

/** One update of a push. */
export interface PushedUpdate extends RefUpdate {
  /** True when the old commit is not an ancestor of the new one. */
  readonly rewrites: boolean;
}

/** Whether a branch that is there is pushed to by one who may merge it elsewhere: no right to make or to remove it. */
function collaborates(update: PushedUpdate, { collaboratesOn, rules }: PushContext): boolean {
  const branch = branchOf(update.ref);
  if (branch === undefined || creates(update) || deletes(update)) return false;
  return mayPushTo(rules, branch, nobody, collaboratesOn);
}

/** Why an update is refused, as the git client prints it; undefined when it is allowed. */
export function refusalOf(update: PushedUpdate, context: PushContext): string | undefined {
  const { rules, access } = context;
  if (collaborates(update, context)) return undefined;
  if (access.level < developer) return 'You are not allowed to push code to this project.';
  const tag = tagOf(update.ref);
  if (tag !== undefined) {
    const action = creates(update) ? 'create' : deletes(update) ? 'delete' : 'update';
    return refusalOfTagPush(context.tagRules, tag, action, access);
  }
  const branch = branchOf(update.ref);
  if (branch === undefined) {
    return update.ref.startsWith('refs/merge-requests/')
      ? 'Refs of merge requests are kept by the server and cannot be pushed.'
      : 'Only branches (refs/heads/) and tags (refs/tags/) can be pushed.';
  }
  if (deletes(update)) return refusalOfRemoval(branch, context);
  if (!context.mayBegin) return 'You are not allowed to push the first branch of this project; a Maintainer has to.';
  const isProtected = rulesOf(rules, branch).length > 0;
  if (!mayPush(rules, branch, access)) {
    return creates(update)
      ? `You are not allowed to create the protected branch '${branch}' on this project.`
      : `You are not allowed to push code to the protected branch '${branch}' on this project.`;
  }
  if (isProtected && update.rewrites && !allowsForcePush(rules, branch)) {
    return `You are not allowed to force push code to the protected branch '${branch}' on this project.`;
  }
  return undefined;
}

/** Why a branch is not to be removed; undefined when it may be. */
export function refusalOfRemoval(
  branch: string,
  context: Pick<PushContext, 'rules' | 'access' | 'defaultBranch'>,
): string | undefined {
  if (branch === context.defaultBranch) return 'The default branch of a project cannot be deleted.';
  if (rulesOf(context.rules, branch).length > 0) return 'Protected branches cannot be deleted; unprotect them first.';
  if (!mayPush(context.rules, branch, context.access)) return 'You are not allowed to delete this branch.';
  return undefined;
}

/**
 * The branch that becomes the default of a repository that had none: the one the project names, else the first of the
 * push.
 */
export function firstDefaultBranch(named: string, created: readonly string[]): string | undefined {
  return created.includes(named) ? named : created[0];
}
