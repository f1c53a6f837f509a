export { composeLedger } from './compose';
export type { NewLedgerEntry } from './domain/ledger-entry';
export { writeEntries } from './storage/ledger.store';
