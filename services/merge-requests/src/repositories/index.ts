export type { CollaboratesOn } from './application/collaboration';
export type { RepositoryActor } from './application/manage-branches';
export type { TagsByName } from './application/manage-tags';
export { mayMergeInto } from './application/merge-right';
export type { OpenProjectRepository } from './application/open-project-repository';
export { countedCommits, findReadme } from './application/push-facts';
export type { CheckPushOptions, InviteFor, PushedBranch } from './application/receive-push';
export type { ChangeRefsRequest, Say } from './application/ref-change';
export type { RefChangeSubscriber, RepositoryAccess } from './application/repository-access';
export {
  composeRepositories,
  dividedStorages,
  moveRepositories,
  protectedBranchesIn,
  type Repositories,
  repositoriesOf,
} from './compose';
export {
  allowsForcePush,
  developer,
  maintainer,
  mayMerge,
  mayPush,
  mayPushTo,
  type ProjectAccess,
  rulesOf,
} from './domain/protected-branch';
export { isProtectedTag, refusalOfTag } from './domain/protected-tag';
export {
  branchOf,
  deletes,
  type PushedOptions,
  type PushFacts,
  type RefChange,
  type RefUpdate,
  tagOf,
} from './domain/ref-change';
export { commitObject, diffObject, type RepositoryAddress, repositoryUrl } from './presenters/commit.presenter';
export { protectedBranchObject } from './presenters/protected-branch.presenter';
export { dateTime, optionalDateTime } from './presenters/text';
export { runAsGitWork, runRequestAsGitWork } from './transport/as-git-work';
export { answersUnchanged, cacheHeaders } from './transport/http-cache';
export { inParts, type ProcessesOf, relayedEndpoints, relayedServices, serviceName } from './transport/relay';
export { actorOf } from './transport/repository-context';
export { sliced, windowOf, windowPage } from './transport/window';
