import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { logger } from '@switchyard/telemetry';
import type pg from 'pg';
import { Client } from './password-file';
import { uncounted } from './statements';

/**
 * Called with the payload of a notice; without one when notices may have been missed, because listening has just begun.
 */
export type OnNotice = (payload?: string) => void;

/**
 * Wake-ups between the processes that use one database (`LISTEN` and `NOTIFY`). A notice may be lost when a connection
 * or a process ends, so every listener also has a timer, of seconds.
 */
export interface Notices {
  /**
   * Calls `onNotice` for every notice on the channel, those sent through this object included. Returns what ends that.
   */
  listen(channel: string, onNotice: OnNotice): () => void;
  /**
   * Wakes the listeners of this object at once and those of other processes soon. Not part of any transaction: call it
   * after the commit (`Tx.notify` does). Equal notices that wait to be sent are sent as one. Never fails.
   */
  notify(channel: string, payload?: string): void;
}

/** Notices that can be ended. */
export interface OpenNotices extends Notices {
  /** Sends waiting notices and stops listening. */
  close(): Promise<void>;
}

/** Milliseconds before a lost connection is replaced: the first and the longest interval. */
const minPauseMs = 100;
const maxPauseMs = 5_000;

/** Milliseconds that the server has to end a connection that is closed; then the socket is destroyed. */
const endWithin = 500;

/**
 * Notices: one connection of their own listens, opened for the first listener, and `pool` sends.
 * NOTIFY inside a transaction that writes would take a lock that all such commits of the server share.
 */
export function openNotices(config: pg.ClientConfig, pool: pg.Pool): OpenNotices {
  const listeners = new Map<string, Set<OnNotice>>();
  const waiting = new Map<string, { channel: string; payload: string }>();
  const closing = new AbortController();
  /** Prefix of sent payloads: listeners of this process are woken directly, not by their own notice. */
  const sender = randomBytes(8).toString('hex');
  let connected: pg.Client | undefined;
  let following: Promise<void> | undefined;
  let sending: Promise<void> | undefined;

  const wake = (channel: string, payload?: string): void => {
    for (const onNotice of listeners.get(channel) ?? []) onNotice(payload);
  };

  async function begin(client: pg.Client, channel: string): Promise<void> {
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    wake(channel);
  }

  /** Listens over one connection until it is lost. */
  async function followOnce(): Promise<void> {
    const client = new Client(config);
    const ended = new Promise<void>((settle) => client.once('end', () => settle()));
    // Reported by `end` as well; without a listener it would end the process.
    client.on('error', () => undefined);
    client.on('notification', ({ channel, payload = '' }) => {
      if (!payload.startsWith(sender)) wake(channel, payload.slice(sender.length));
    });
    const stop = (): void => {
      client.end().catch(() => undefined);
      // A network that is silent delivers no end of the connection, and a process that stops would wait for it.
      const destroying = setTimeout(() => client.connection.stream.destroy(), endWithin);
      client.once('end', () => clearTimeout(destroying));
    };
    closing.signal.addEventListener('abort', stop, { once: true });
    try {
      // A client that is ended while it connects settles no promise of its own.
      await Promise.race([client.connect(), ended]);
      connected = client;
      for (const channel of listeners.keys()) await begin(client, channel);
      await ended;
    } finally {
      connected = undefined;
      closing.signal.removeEventListener('abort', stop);
      stop();
    }
  }

  async function follow(): Promise<void> {
    let failures = 0;
    while (!closing.signal.aborted) {
      await followOnce().then(
        () => {
          failures = 0;
        },
        (error) => {
          if (failures === 0 && !closing.signal.aborted) logger.warn({ err: error }, 'notices cannot be listened to');
          failures += 1;
        },
      );
      const wait = Math.min(maxPauseMs, minPauseMs * 2 ** Math.min(failures, 10));
      await pause(wait, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }

  const keyOf = ({ channel, payload }: { channel: string; payload: string }): string => `${channel} ${payload}`;

  async function send(): Promise<void> {
    let failures = 0;
    while (waiting.size > 0) {
      const notices = [...waiting.values()];
      waiting.clear();
      // Requests may hold every connection of the pool; the one that listens is free.
      await (connected ?? pool)
        .query({
          name: 'notify',
          text: 'select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as given (channel, payload)',
          values: [notices.map(({ channel }) => channel), notices.map(({ payload }) => payload)],
        })
        .catch((error) => {
          if (closing.signal.aborted || failures > 0) logger.debug({ err: error }, 'a notice was lost');
          else for (const notice of notices) waiting.set(keyOf(notice), notice);
          failures += 1;
        });
    }
    sending = undefined;
  }

  return {
    listen(channel, onNotice) {
      const present = listeners.get(channel);
      if (present === undefined) {
        listeners.set(channel, new Set([onNotice]));
        const client = connected;
        // The next connection begins with all channels.
        if (client !== undefined) begin(client, channel).catch(() => client.end().catch(() => undefined));
      } else present.add(onNotice);
      following ??= uncounted(follow);
      return () => void listeners.get(channel)?.delete(onNotice);
    },
    notify(channel, payload = '') {
      if (closing.signal.aborted) return;
      wake(channel, payload);
      const notice = { channel, payload: `${sender}${payload}` };
      waiting.set(keyOf(notice), notice);
      sending ??= uncounted(send);
    },
    async close() {
      closing.abort();
      await following;
      await sending;
    },
  };
}
