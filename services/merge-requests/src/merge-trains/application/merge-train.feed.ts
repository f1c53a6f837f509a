import { setTimeout as pause } from 'node:timers/promises';
import { repeat } from '@switchyard/background';
import { unavailable } from '@switchyard/errors';
import { admissionQueue } from '@switchyard/rpc';
import type { TrainKey, TrainMarks } from '../domain/merge-train-view';

/** Where the feed reads trains, and learns of their changes. */
export interface MergeTrainFeedEdges {
  /** A train as it is sent. @throws AppError not_found without the project */
  render(key: TrainKey): Promise<Buffer>;
  /** Marks of the trains among `keys` that exist, in one statement. */
  marks(keys: readonly TrainKey[]): Promise<readonly TrainMarks[]>;
  /** Calls `onChange` with the id of a train that has changed; without one when changes may have been missed. */
  onChange(onChange: (trainId?: number) => void): () => void;
}

/** Bounds and times of the feed; tests have their own. */
export interface MergeTrainFeedLimits {
  /** Most trains that are watched. */
  readonly trains: number;
  /** Most of one project: a watched branch need not exist, so one user could name them all. */
  readonly ofProject: number;
  /** Milliseconds from the first change to its reading: those between are read with it. */
  readonly debounceMs: number;
  /** Milliseconds between two looks for changes whose notice was lost. */
  readonly sweepMs: number;
}

const usual: MergeTrainFeedLimits = { trains: 1_000, ofProject: 50, debounceMs: 100, sweepMs: 5_000 };

/** Readings at a time: what is watched is never more urgent than what is done. */
const readings = 4;

/** A train that is watched, by however many. */
interface Watched {
  readonly key: TrainKey;
  trainId: number | undefined;
  mark: string | undefined;
  /** The newest rendering; undefined until the first reading. */
  current: Buffer | undefined;
  failure: unknown;
  readonly watchers: Set<() => void>;
  /** A reading is planned or runs. */
  busy: boolean;
  /** It has changed since the running reading began. */
  stale: boolean;
}

/** Trains as they stand, and again after each change. */
export interface MergeTrainFeed {
  /**
   * The train, and again whenever its rendering has changed; ends with `signal`, or when the process stops. A watcher
   * that is slow misses what lies between. @throws AppError unavailable when too many trains are watched, of all or of
   * its project, or one cannot be read; not_found without the project
   */
  watch(key: TrainKey, signal: AbortSignal): AsyncIterable<Buffer>;
  /** Trains that are watched. */
  watched(): number;
  /** Looks for changes whose notice was lost, from now on. */
  start(): { close(): Promise<void> };
  /** Ends every watch. */
  drain(): void;
}

const nameOf = ({ projectId, targetBranch }: TrainKey): string => `${projectId} ${targetBranch}`;

/** The feed: one reading per train and change, shared by all who watch it in this process. */
export function mergeTrainFeed(edges: MergeTrainFeedEdges, limits: Partial<MergeTrainFeedLimits> = {}): MergeTrainFeed {
  const { trains, ofProject, debounceMs, sweepMs } = { ...usual, ...limits };
  const queue = admissionQueue({ slots: readings, maxWaiting: trains });
  const all = new Map<string, Watched>();
  let draining = false;
  let unlisten: (() => void) | undefined;
  let sweeping: ReturnType<typeof repeat> | undefined;

  const wake = (watched: Watched): void => {
    for (const one of watched.watchers) one();
  };

  async function read(watched: Watched): Promise<void> {
    try {
      do {
        watched.stale = false;
        const rendered = await queue.run(() => edges.render(watched.key));
        if (watched.current?.equals(rendered) === true) continue;
        watched.current = rendered;
        wake(watched);
      } while (watched.stale && (await pause(debounceMs, true)));
    } catch (error) {
      watched.failure = error;
      wake(watched);
    } finally {
      watched.busy = false;
    }
  }

  /** Plans a reading; changes until it begins are read with it. */
  function changed(watched: Watched, afterMs = debounceMs): void {
    if (watched.busy) {
      watched.stale = true;
      return;
    }
    watched.busy = true;
    if (afterMs === 0) void read(watched);
    else setTimeout(() => void read(watched), afterMs).unref();
  }

  function onNotice(trainId?: number): void {
    let known = false;
    for (const watched of all.values()) {
      if (trainId !== undefined && watched.trainId !== trainId) continue;
      known = true;
      changed(watched);
    }
    // A train that was made since, perhaps of a branch that is watched.
    if (!known && [...all.values()].some((watched) => watched.trainId === undefined)) sweeping?.soon();
  }

  /** Finds the changes whose notice was lost, and the ids of trains that were made since: one statement for all. */
  async function sweep(): Promise<void> {
    if (all.size === 0) return;
    const found = await edges.marks([...all.values()].map(({ key }) => key));
    for (const { mark, trainId, ...key } of found) {
      const watched = all.get(nameOf(key));
      if (watched === undefined) continue;
      if (watched.mark !== undefined && watched.mark !== mark) changed(watched);
      else if (watched.trainId === undefined) changed(watched);
      watched.trainId = trainId;
      watched.mark = mark;
    }
  }

  function enter(key: TrainKey): Watched {
    const name = nameOf(key);
    const present = all.get(name);
    if (present !== undefined) return present;
    if (all.size >= trains) throw unavailable(`${all.size} trains are watched`);
    const besides = [...all.values()].filter((watched) => watched.key.projectId === key.projectId).length;
    if (besides >= ofProject) throw unavailable(`${besides} trains of the project are watched`);
    const watched: Watched = {
      key,
      trainId: undefined,
      mark: undefined,
      current: undefined,
      failure: undefined,
      watchers: new Set(),
      busy: false,
      stale: false,
    };
    all.set(name, watched);
    unlisten ??= edges.onChange(onNotice);
    changed(watched, 0);
    // Learns its id; changes until then are found by the sweep.
    sweeping?.soon();
    return watched;
  }

  /** One watcher's wait for the next change. */
  function waiter(watched: Watched, signal: AbortSignal) {
    let notify = (): void => undefined;
    const woken = (): void => notify();
    watched.watchers.add(woken);
    signal.addEventListener('abort', woken);
    return {
      next: () =>
        new Promise<void>((settle) => {
          notify = settle;
        }),
      leave: () => {
        signal.removeEventListener('abort', woken);
        watched.watchers.delete(woken);
        if (watched.watchers.size === 0) all.delete(nameOf(watched.key));
      },
    };
  }

  return {
    async *watch(key, signal) {
      const ended = (): boolean => signal.aborted || draining;
      if (ended()) return;
      const watched = enter(key);
      const wait = waiter(watched, signal);
      let sent: Buffer | undefined;
      try {
        while (!ended()) {
          if (watched.failure !== undefined) throw watched.failure;
          if (watched.current === sent) await wait.next();
          else {
            sent = watched.current as Buffer;
            yield sent;
          }
        }
      } finally {
        wait.leave();
      }
    },
    watched: () => all.size,
    start() {
      sweeping = repeat('watched merge trains', sweepMs, sweep);
      return {
        async close() {
          unlisten?.();
          await sweeping?.close();
        },
      };
    },
    drain() {
      draining = true;
      for (const watched of all.values()) wake(watched);
    },
  };
}
