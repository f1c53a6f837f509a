export { type LockList, lockFileNames } from './domain/lock-list';
export { readLockFile } from './domain/read-lock-file';
