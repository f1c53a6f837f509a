import { parentPort } from 'node:worker_threads';
import { type BomPart, isLicenseId } from '../../boms';
import { readLockFile } from '../domain/read-lock-file';
import type { Answer, Question } from './read-in-thread';

/** Parts of one answer. */
const batch = 1_000;

let parts: Iterator<BomPart> | undefined;

parentPort?.on('message', (file: Question) => {
  if (file !== undefined) parts = readLockFile(file.path, file.text, isLicenseId);
  const some: BomPart[] = [];
  let next = parts?.next();
  while (next !== undefined && !next.done) {
    some.push(next.value);
    if (some.length >= batch) break;
    next = parts?.next();
  }
  parentPort?.postMessage({ parts: some, isLast: next?.done !== false } satisfies Answer);
});
