import { tooManyRequests, unavailable } from '@switchyard/errors';
import { overloaded } from '@switchyard/rpc';
import { counter, gauge } from '@switchyard/telemetry';
import type { Request, Response } from 'express';
import { type AccessChecks, type AccessQuestion, accessChecks, type CheckTimes } from './access-checks';
import { openSubject, type Reader, type Subject } from './subject';

/** Bounds and times of event streams; tests have their own. */
export interface StreamLimits {
  /** Streams of this process. */
  readonly streams: number;
  /** Streams of one user, or of one address without a token; 0 for no limit. */
  readonly streamsPerCaller: number;
  /** Milliseconds in which a reader has to take a piece of an event, 64 KiB. */
  readonly slowMs: number;
  /** Milliseconds in which a reader has to take a whole event. */
  readonly slowestMs: number;
  /** Milliseconds between two signs of life. */
  readonly heartbeatMs: number;
  readonly checks?: Partial<CheckTimes>;
}

const usual: StreamLimits = {
  streams: 2_000,
  streamsPerCaller: 100,
  slowMs: 10_000,
  slowestMs: 60_000,
  heartbeatMs: 15_000,
};

/** Whom a stream is for. */
interface StreamReader {
  /** Whom it is counted for. */
  readonly caller: string;
  readonly question: AccessQuestion;
}

/** A stream of the newest state of a subject. */
export interface StateRequest extends StreamReader {
  /** Name of its events. */
  readonly event: string;
  /** What is read; readers of the same subject share one call. */
  readonly subject: string;
  /** Begins the call, with the claims of this reader. */
  readonly open: Reader['open'];
}

/** One event of a stream that brings them all. */
export interface EachEvent {
  readonly event: string;
  /** What the reader sends as `Last-Event-ID` to go on after it. */
  readonly id: string;
  /** JSON without a line break. */
  readonly json: Uint8Array;
}

/** A stream that brings each event, in order: a call of its own, which waits while the reader takes what has come. */
export interface EachRequest extends StreamReader {
  /** Begins the call, with the claims of this reader. */
  each(signal: AbortSignal, timeoutMs: number): AsyncIterable<EachEvent>;
}

/** A stream that is requested. */
export type StreamRequest = StateRequest | EachRequest;

/** Server-sent events: one call per subject and process, for all who read its state; one call for each reader of all events. */
export interface EventStreams {
  /**
   * Answers with a stream, which ends when its client leaves, may no longer read, or is slow, when the subject ends, and
   * when the process stops. Settles once the stream has begun.
   * @throws AppError rate_limited or unavailable over a limit; what the service answers instead of a first event
   */
  serve(request: Request, response: Response, stream: StreamRequest): Promise<void>;
  /** Streams that are open, subjects that are read, questions that are asked. */
  counts(): { readonly streams: number; readonly subjects: number; readonly questions: number };
  /** Ends all streams, and refuses new ones. */
  close(): void;
}

/** Seconds after which a caller with too many streams may try again. */
const retryAfter = 30;

/** Milliseconds within which the service has to send a first event. */
const firstWithinMs = 10_000;

/** Milliseconds that one call for a reader of all events lasts; the reader comes again with the id of its last event. */
const eachCallMs = 3_600_000;

/** Frames one event with its id. */
const frameOf = ({ event, id, json }: EachEvent): Buffer =>
  Buffer.concat([Buffer.from(`id: ${id}\nevent: ${event}\ndata: `), json, Buffer.from('\n\n')]);

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-store',
  // A proxy that gathers replies would hold events back.
  'X-Accel-Buffering': 'no',
};

const heartbeat = Buffer.from(': still here\n\n');
const countSlow = counter({
  name: 'switchyard_event_streams_slow_total',
  help: 'Event streams that were ended because their reader was slow',
});
const measured = new Set<EventStreams>();
gauge({ name: 'switchyard_event_streams', help: 'Event streams that are open' }, async () => [
  { value: [...measured].reduce((sum, one) => sum + one.counts().streams, 0) },
]);
gauge({ name: 'switchyard_event_subjects', help: 'Subjects that are read for event streams' }, async () => [
  { value: [...measured].reduce((sum, one) => sum + one.counts().subjects, 0) },
]);

/**
 * Bytes that are given to a connection at a time: it reports that it has taken them, not how much of a longer write it
 * has.
 */
const pieceBytes = 65_536;
const nothing: Buffer = Buffer.alloc(0);

/** One open stream. An event that comes while the one before it is being taken is not kept: the newest follows it. */
class Stream {
  private newest: Buffer = nothing;
  private sent: Buffer = nothing;
  /** What is left to write of the bytes that are under way. */
  private rest: Buffer = nothing;
  private taken = (): void => undefined;
  private blockedSince = 0;
  private progressAt = 0;

  constructor(
    private readonly response: Response,
    private readonly limits: Pick<StreamLimits, 'slowMs' | 'slowestMs'>,
  ) {
    response.on('drain', () => {
      this.progressAt = Date.now();
      this.writeRest();
      if (this.blockedSince === 0 && this.newest !== this.sent) this.send(this.newest);
      if (this.blockedSince === 0) this.taken();
    });
    response.on('close', () => this.taken());
  }

  /** Sends an event that must not be left out; settles once the reader has taken it, or has left. */
  async put(event: Buffer): Promise<void> {
    this.newest = event;
    this.send(event);
    if (this.blockedSince > 0 && !this.response.destroyed)
      await new Promise<void>((settle) => {
        this.taken = settle;
      });
  }

  take(event: Buffer): void {
    this.newest = event;
    if (this.blockedSince === 0) this.send(event);
  }

  /** A sign of life, where nothing is under way. */
  beat(): void {
    if (this.blockedSince === 0) this.write(heartbeat);
  }

  /** Ends a stream whose reader does not read. One that takes a long event piece by piece has more time. */
  dropIfSlow(): void {
    const now = Date.now();
    const { slowMs, slowestMs } = this.limits;
    if (this.blockedSince === 0 || (now - this.progressAt < slowMs && now - this.blockedSince < slowestMs)) return;
    countSlow();
    this.response.destroy();
  }

  private send(event: Buffer): void {
    this.sent = event;
    this.write(event);
  }

  private write(bytes: Buffer): void {
    this.rest = bytes;
    this.writeRest();
  }

  private writeRest(): void {
    while (this.rest.length > 0 && !this.response.writableEnded) {
      const piece = this.rest.subarray(0, pieceBytes);
      this.rest = this.rest.subarray(pieceBytes);
      if (this.response.write(piece)) continue;
      if (this.blockedSince === 0) this.blockedSince = this.progressAt = Date.now();
      return;
    }
    this.blockedSince = 0;
  }
}

/** Makes the streams of a process. */
export function eventStreams(limits: Partial<StreamLimits> = {}): EventStreams {
  const { streams, streamsPerCaller, slowMs, slowestMs, heartbeatMs, checks: times } = { ...usual, ...limits };
  const checks: AccessChecks = accessChecks(times);
  const subjects = new Map<string, Subject>();
  const callers = new Map<string, number>();
  const open = new Map<Response, Stream>();
  const endings = new Set<(error: unknown) => void>();
  let taken = 0;
  let closed = false;
  let ticking: NodeJS.Timeout | undefined;

  /** Signs of life, and a look for slow readers; one timer for all. */
  function tick(): void {
    let beats = 0;
    const every = Math.min(1_000, heartbeatMs, slowMs);
    ticking ??= setInterval(() => {
      beats += every;
      const isBeat = beats >= heartbeatMs;
      if (isBeat) beats = 0;
      for (const stream of open.values()) {
        stream.dropIfSlow();
        if (isBeat) stream.beat();
      }
    }, every).unref();
  }

  function takePlace(caller: string): () => void {
    if (closed || taken >= streams) throw overloaded();
    const own = callers.get(caller) ?? 0;
    if (streamsPerCaller > 0 && own >= streamsPerCaller) throw tooManyRequests(retryAfter);
    taken += 1;
    callers.set(caller, own + 1);
    return () => {
      taken -= 1;
      const left = (callers.get(caller) ?? 1) - 1;
      if (left > 0) callers.set(caller, left);
      else callers.delete(caller);
      if (taken > 0) return;
      clearInterval(ticking);
      ticking = undefined;
    };
  }

  function subjectOf({ subject: name, event }: StateRequest): Subject {
    let subject = subjects.get(name);
    if (subject === undefined) {
      const opened = openSubject(event, () => {
        if (subjects.get(name) === opened) subjects.delete(name);
      });
      subject = opened;
      subjects.set(name, opened);
    }
    return subject;
  }

  function begin(response: Response): Stream {
    const stream = new Stream(response, { slowMs, slowestMs });
    open.set(response, stream);
    response.writeHead(200, headers);
    tick();
    return stream;
  }

  /** Settles with the first event. */
  const streamState = (response: Response, wanted: StateRequest, leave: (() => void)[]): Promise<void> =>
    new Promise<void>((begun, failed) => {
      let started: Stream | undefined;
      const end = (error: unknown): void => {
        clearTimeout(waiting);
        if (started === undefined) failed(error ?? unavailable('the stream ended before its first event'));
        else response.end();
      };
      const waiting = setTimeout(end, firstWithinMs);
      const remove = subjectOf(wanted).add({
        open: wanted.open,
        take(event) {
          if (started === undefined) {
            clearTimeout(waiting);
            started = begin(response);
            begun();
          }
          started.take(event);
        },
        ended: end,
      });
      endings.add(end);
      leave.push(
        remove,
        checks.watch(wanted.question, () => end(undefined)),
        () => endings.delete(end),
        () => clearTimeout(waiting),
        begun,
      );
    });

  /** Settles with the first event. The call waits while the reader takes what has come, so that none is left out. */
  const streamEach = (response: Response, wanted: EachRequest, leave: (() => void)[]): Promise<void> =>
    new Promise<void>((begun, failed) => {
      const call = new AbortController();
      let started: Stream | undefined;
      const end = (error: unknown): void => {
        clearTimeout(waiting);
        call.abort();
        if (started === undefined) failed(error ?? unavailable('the stream ended before its first event'));
        else response.end();
      };
      const waiting = setTimeout(end, firstWithinMs);
      const read = async (): Promise<void> => {
        for await (const event of wanted.each(call.signal, eachCallMs)) {
          if (started === undefined) {
            clearTimeout(waiting);
            started = begin(response);
            begun();
          }
          await started.put(frameOf(event));
        }
      };
      endings.add(end);
      leave.push(
        () => call.abort(),
        checks.watch(wanted.question, () => end(undefined)),
        () => endings.delete(end),
        () => clearTimeout(waiting),
        begun,
      );
      read().then(() => end(undefined), end);
    });

  const made: EventStreams = {
    async serve(request, response, wanted) {
      if (response.destroyed) return;
      const leave: (() => void)[] = [takePlace(wanted.caller)];
      // Whatever ends the stream: its own end, a failure before it began, the loss of its client.
      response.once('close', () => {
        open.delete(response);
        for (const one of leave) one();
      });
      if (request.method === 'HEAD') response.writeHead(200, headers).end();
      else if ('each' in wanted) await streamEach(response, wanted, leave);
      else await streamState(response, wanted, leave);
    },
    counts: () => ({ streams: taken, subjects: subjects.size, questions: checks.running() }),
    close() {
      closed = true;
      measured.delete(made);
      for (const end of [...endings]) end(undefined);
    },
  };
  measured.add(made);
  return made;
}
