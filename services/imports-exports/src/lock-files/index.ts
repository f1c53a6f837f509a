export { type ReadLockFile, readInThread } from './application/read-in-thread';
export { type LockList, lockFileNames } from './domain/lock-list';
export { unreadable } from './domain/read-lock-file';
