import type { Tx } from '@switchyard/database';
import type { Change } from '../domain/change';

/**
 * Decides what follows from changes and writes it through `tx`, in which the changes get their places: both are
 * committed, or neither is.
 */
export type ChangeFollower = (tx: Tx, changes: readonly Change[]) => Promise<void>;
