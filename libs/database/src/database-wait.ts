import { logger } from '@switchyard/telemetry';
import type pg from 'pg';
import { Client } from './password-file';

/** Milliseconds without an answer after which we say so. */
const silentFor = 2_000;
/** Milliseconds between two lines. */
const saidEvery = 30_000;

/** Where an address leads, which need not name it: pg has defaults for both. */
function placeOf(config: pg.ClientConfig): { host?: string; port?: number } {
  try {
    const { host, port } = new Client(config);
    return { host, port };
  } catch {
    // Who connects refuses the address.
    return {};
  }
}

/**
 * Says in the log that a process waits for a database, at the first failure or where no answer comes, from time to time
 * while it waits, and once when it need not wait any more. No line has a part of the address but host and port.
 */
export class DatabaseWait {
  readonly #place: { host?: string; port?: number };
  readonly #timer: NodeJS.Timeout;
  #saidAt: number | undefined;

  /**
   * @param variable that holds the address
   * @param now milliseconds
   */
  constructor(
    config: pg.ClientConfig,
    private readonly variable: string,
    private readonly now: () => number = Date.now,
  ) {
    this.#place = placeOf(config);
    this.#timer = setTimeout(() => this.#say('does not answer'), silentFor);
    this.#timer.unref();
  }

  /** Another try failed. */
  failed(error: unknown): void {
    const { code, message } = error as NodeJS.ErrnoException;
    this.#say(message || code || 'no connection');
  }

  /** The database was reached. */
  reached(): void {
    this.close();
    if (this.#saidAt === undefined) return;
    this.#saidAt = undefined;
    logger.info({ ...this.#place, variable: this.variable }, 'the database is there');
  }

  close(): void {
    clearTimeout(this.#timer);
  }

  #say(reason: string): void {
    const now = this.now();
    if (this.#saidAt !== undefined && now - this.#saidAt < saidEvery) return;
    this.#saidAt = now;
    logger.warn({ ...this.#place, variable: this.variable, reason }, 'the database cannot be reached; waiting for it');
  }
}
