import type { Database, SqlExecutor } from '@switchyard/database';
import type { ClaimedMail } from '../domain/mail';

/** The queue of mails, as sending needs it. */
export interface MailQueue {
  /** Calls `wake` when a mail has been queued by any process; returns what ends that. */
  onMails(db: Database, wake: () => void): () => void;
  /**
   * Takes up to `limit` mails that are due; they belong to the caller for `leaseSeconds`. To whom a mail goes is
   * decided now, not when it was asked for.
   */
  claim(db: SqlExecutor, limit: number, leaseSeconds: number): Promise<ClaimedMail[]>;
  /** Notes what became of a mail. */
  settle(db: SqlExecutor, id: number, state: 'sent' | 'dropped' | 'dead', error?: string): Promise<void>;
  /** Puts a mail off after a try that failed. */
  putOff(db: SqlExecutor, id: number, seconds: number, error: string): Promise<void>;
  /** Forgets up to `limit` mails that were settled more than 30 days ago. Returns how many. */
  forget(db: SqlExecutor, limit: number): Promise<number>;
}
