import { isLicenseId, type JsonPart, readParts } from '../../boms';
import { answerQuestions } from '../../threads';

answerQuestions((parts: readonly JsonPart[]) => readParts(parts, isLicenseId));
