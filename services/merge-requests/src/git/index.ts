export * from './commit-files';
export * from './commits';
export * from './diffs';
export * from './merges';
export * from './names';
export * from './refs';
export * from './repository';
export { GitCommandError, type GitOptions, type ObjectArea, type Repository } from './run-git';
export * from './trees';
