import { logger } from '@switchyard/telemetry';
import type pg from 'pg';
import { silenceCodes } from './errors';
import { Client } from './password-file';

/**
 * Milliseconds between two looks. Silence is counted in looks, between which a process reads what has arrived: one that was held up
 * itself takes no server for silent.
 */
const lookEveryMs = 250;

/**
 * Looks in silence after which the server is asked for a sign of life, and after which it counts as one that hangs. The first look
 * may come at once after a statement: 1.5 to 1.75 s, so that a request is answered within 2.5 s.
 */
const [askedAfter, hangsAfter] = [2, 7];

/**
 * Looks for which one connection is asked, at first and at most: on a network that was parted, what it sent may come minutes later.
 * Twice as many each time, since a server that stood still lets in all whom it kept waiting, each with a process of its own,
 * before others.
 */
const [askedForFirst, askedForMost] = [8, 32];

const failureOf = (code: string): Error => Object.assign(new Error('the database does not answer'), { code });

/** A connection of its own. */
interface Probe {
  readonly client: pg.Client;
  readonly connected: Promise<unknown>;
}

/**
 * Tells a server that is silent from a statement that is slow (ADR 85). A statement may take until its time limit, and may wait for
 * a lock; a server that gives no answer to anyone meanwhile, not even on a connection that asks for nothing else, hangs. All who
 * wait for it then fail at once, and so do all who come, until it answers again.
 */
export class ServerWatch {
  /** What fails those who wait. */
  readonly #waiting = new Set<(error: Error) => void>();
  #timer: NodeJS.Timeout | undefined;
  /** Looks since the last sign of life. */
  #looks = 0;
  #hangs = false;
  /** The connection that is asked, which is kept for the next time. */
  #probe: Probe | undefined;
  #isAsked = false;
  /** Looks for which it has been asked, and for which it is. */
  #asked = 0;
  #askedFor = askedForFirst;

  constructor(private readonly config: pg.ClientConfig) {}

  /**
   * Notes that something waits for the server. `fail` is called with why it does so in vain.
   * @returns what is called once nothing waits any more, with whether the server has answered, be it by an error; undefined where the server hangs
   * already, and `fail` has been called
   */
  wait(fail: (error: Error) => void): ((isSign: boolean) => void) | undefined {
    if (this.#hangs) {
      fail(failureOf(silenceCodes.beforeSending));
      return undefined;
    }
    this.#waiting.add(fail);
    this.#timer ??= setInterval(() => this.#look(), lookEveryMs).unref();
    return (isSign) => {
      if (this.#waiting.delete(fail) && isSign) this.#looks = 0;
    };
  }

  /** Ends the watch. */
  close(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#looks = 0;
    this.#leave();
  }

  #look(): void {
    if (this.#waiting.size === 0 && !this.#hangs) {
      this.close();
      return;
    }
    this.#looks += 1;
    if (this.#looks < askedAfter) return;
    this.#asked += 1;
    if (this.#isAsked && this.#asked > this.#askedFor) {
      this.#leave();
      this.#askedFor = Math.min(2 * this.#askedFor, askedForMost);
    }
    if (!this.#isAsked) void this.#ask();
    if (this.#looks < hangsAfter || this.#hangs) return;
    this.#hangs = true;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    logger.error({ waiting: waiting.length }, 'the database does not answer');
    for (const fail of waiting) fail(failureOf(silenceCodes.underWay));
  }

  async #ask(): Promise<void> {
    this.#probe ??= this.#connect();
    this.#isAsked = true;
    this.#asked = 0;
    const probe = this.#probe;
    let isKept = true;
    try {
      await probe.connected;
      await probe.client.query('select 1');
    } catch {
      // To refuse a connection, or to end one, is an answer too.
      isKept = false;
    }
    if (probe !== this.#probe) return;
    this.#isAsked = false;
    if (!isKept) this.#leave();
    this.#looks = 0;
    this.#askedFor = askedForFirst;
    if (this.#hangs) logger.info('the database answers again');
    this.#hangs = false;
  }

  #connect(): Probe {
    const client = new Client({ ...this.config, connectionTimeoutMillis: 0 });
    // The query fails as well; without a listener it would end the process.
    client.on('error', () => undefined);
    return { client, connected: client.connect() };
  }

  /** Leaves the connection that was asked, without a word: who hangs does not take leave. */
  #leave(): void {
    this.#probe?.client.connection.stream.destroy();
    this.#probe = undefined;
    this.#isAsked = false;
  }
}
