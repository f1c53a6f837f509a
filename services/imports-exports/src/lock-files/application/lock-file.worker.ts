import { isLicenseId } from '../../boms';
import { answerQuestions } from '../../threads';
import { readLockFile } from '../domain/read-lock-file';
import type { LockFile } from './read-in-thread';

answerQuestions(({ path, text }: LockFile) => readLockFile(path, text, isLicenseId));
