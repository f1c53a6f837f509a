import type { Representation } from '@switchyard/protos/rpc/v1/representation';
import { logger } from '@switchyard/telemetry';

/** One call to the service that owns a subject lasts this long, milliseconds, and is then made anew. */
const callMs = 600_000;

/** Milliseconds that a call has beyond that until its deadline ends it. */
const graceMs = 30_000;

/** A reader of a subject. */
export interface Reader {
  /** Begins a call with this reader's own claims. */
  open(signal: AbortSignal, timeoutMs: number): AsyncIterable<Representation>;
  /** Takes the newest event; the bytes are shared by all readers. */
  take(event: Buffer): void;
  /** The subject can no longer be read: the reader's stream ends. */
  ended(error: unknown): void;
}

/** Something that is read by one call, for however many readers. */
export interface Subject {
  /** Adds a reader; it takes the newest event at once where there is one. Returns what removes it. */
  add(reader: Reader): () => void;
}

const equal = (one: Uint8Array | undefined, other: Uint8Array): boolean =>
  one !== undefined && Buffer.compare(one, other) === 0;

/** Frames finished JSON, which has no line break, as one server-sent event. */
const frame = (name: string, json: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from(`event: ${name}\ndata: `), json, Buffer.from('\n\n')]);

/**
 * A subject whose events have this name. The call is made with the claims of a reader who is there; `empty` is called
 * when the last one has left, or the subject has ended.
 */
export function openSubject(name: string, empty: () => void): Subject {
  const readers = new Set<Reader>();
  let call = new AbortController();
  let json: Uint8Array | undefined;
  let event: Buffer | undefined;
  let running = false;

  function publish(next: Uint8Array): void {
    // A call that is made anew begins with what is known.
    if (equal(json, next)) return;
    json = next;
    event = frame(name, next);
    for (const reader of readers) reader.take(event);
  }

  /** Reads by one call. Returns whether it ended because it was to be made anew. */
  async function readOnce(reader: Reader): Promise<boolean> {
    const own = new AbortController();
    call = own;
    const renewal = setTimeout(() => own.abort(), callMs).unref();
    try {
      for await (const { json: next } of reader.open(own.signal, callMs + graceMs)) publish(next);
    } catch (error) {
      if (!own.signal.aborted) throw error;
    } finally {
      clearTimeout(renewal);
    }
    return own.signal.aborted;
  }

  async function run(): Promise<void> {
    let failure: unknown;
    try {
      for (;;) {
        const [reader] = readers;
        if (reader === undefined || !(await readOnce(reader))) break;
      }
    } catch (error) {
      failure = error;
      logger.debug({ err: error, subject: name }, 'a subject of events ended');
    }
    empty();
    const left = [...readers];
    readers.clear();
    for (const reader of left) reader.ended(failure);
  }

  return {
    add(reader) {
      readers.add(reader);
      if (event !== undefined) reader.take(event);
      if (!running) {
        running = true;
        void run();
      }
      return () => {
        if (!readers.delete(reader) || readers.size > 0) return;
        empty();
        call.abort();
      };
    },
  };
}
