export * from './archive';
export * from './blame';
export * from './branch-heads';
export * from './bring-commit';
export * from './bundle';
export { type ChangedFile, type Changes, compareTrees } from './changed-files';
export * from './commit-files';
export * from './commits';
export {
  type CopyOutcome,
  type CopyRequest,
  type CopyStep,
  copyFromBundle,
  copyRepository,
  ensureUncopied,
  readCopyError,
} from './copy-repository';
export { type CopyDescription, type CopySource, isObjectFile, sourceHere } from './copy-source';
export { copyObjects, copyWhole, isWhole, type WholeCopy } from './copy-whole';
export * from './diffs';
export * from './fetch-remote';
export { defaultGitLimits, type GitLimits, gitLimits, limitGit } from './git-limits';
export { admissions, type CallerWork, runForCaller, runningProcesses, runToCompletion } from './git-work';
export * from './maintenance';
export { measureGit } from './measure-git';
export * from './merges';
export * from './names';
export { describeObjects, ObjectReader, objectSha } from './objects';
export {
  advertiseReceivePack,
  type ProposedPush,
  type ProposedUpdate,
  type PushHooks,
  type PushLimits,
  type PushOutcome,
  receivePack,
  type UpdateResult,
  type Verdict,
} from './receive-pack';
export * from './refs';
export * from './repository';
export { decodedBody, maxFetchRequest, readFetchRequest } from './request-body';
export * from './revisions';
export { GitCommandError, type GitOptions, gitText, type ObjectArea, type Repository } from './run-git';
export * from './source-files';
export * from './trees';
export {
  advertiseUploadPack,
  type GitService,
  gitProtocolOf,
  smartHttpTypes,
  type UploadPackOptions,
  uploadPack,
} from './upload-pack';
