export type { RefuseDuplicate } from './application/manage-duplicates';
export { composeDuplicates, type DuplicatesArea } from './compose';
