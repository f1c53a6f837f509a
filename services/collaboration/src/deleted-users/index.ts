export type { Contributions } from './application/delete-contributions';
export { composeDeletedUsers } from './compose';
