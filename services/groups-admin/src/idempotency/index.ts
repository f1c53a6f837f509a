export { composeIdempotency } from './compose';
export { keptAnswers } from './storage/idempotency.store';
