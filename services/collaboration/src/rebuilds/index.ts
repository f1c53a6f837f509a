export { certainFrom, nothingRebuilt, type Rebuilt, type Reconciled, reportOf } from './rebuild';
export { freshLike, lastId } from './scratch-table.store';
