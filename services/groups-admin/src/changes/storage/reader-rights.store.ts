import type { targetRights } from '../../directory';
import type { ReadRights } from '../application/change.ports';

/** Rights of a reader, as they are now. */
export const rightsOfReader =
  (rights: ReturnType<typeof targetRights>): ReadRights =>
  async (reader, targets) => ({ ...reader, ...(await rights(reader, targets)) });
