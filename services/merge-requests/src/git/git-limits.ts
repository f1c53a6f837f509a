import { cpus } from 'node:os';

/** What git may use in this process; docs/operations.md has the variables that set it. */
export interface GitLimits {
  /** Calls that run git at the same time; transfers (fetches, pushes, raw files) have as many places of their own. */
  readonly places: number;
  /** Of these, those in one repository. */
  readonly placesPerRepository: number;
  /** Of these, those of one user. Callers who are not signed in count as one, with the share of a repository. */
  readonly placesPerCaller: number;
  /** Calls that wait for a place, and transfers, each. */
  readonly waiting: number;
  /** Milliseconds that a call waits at the most. */
  readonly waitMs: number;
  /**
   * Milliseconds that a transfer waits at the most: git asks no second time, so a refusal fails the job of a CI. Less
   * than a proxy waits.
   */
  readonly transferWaitMs: number;
  /** Bytes of memory that one git process may allocate; what it maps of packs is not counted. */
  readonly memoryBytes: number;
  /** Milliseconds that a client has for the whole request of a fetch, and for the list of references of a push. */
  readonly requestMs: number;
  /** Milliseconds that a client may send nothing of a pack, or take nothing of a reply. */
  readonly idleMs: number;
  /** Seconds of CPU that the objects of a push of up to 1 MiB may cost; a larger one has an hour. */
  readonly smallPushCpuSeconds: number;
}

const places = Math.max(32, 4 * cpus().length);

/** What holds unless the environment says otherwise. */
export const defaultGitLimits: GitLimits = {
  places,
  placesPerRepository: places / 2,
  placesPerCaller: places / 4,
  waiting: 512,
  waitMs: 8_000,
  transferWaitMs: 50_000,
  memoryBytes: 1024 ** 3,
  requestMs: 30_000,
  idleMs: 60_000,
  smallPushCpuSeconds: 10,
};

// One per process: the limits divide the CPU and memory of the machine among all git processes, whichever repository
// they run in.
let current = defaultGitLimits;

/** The limits of this process. */
export const gitLimits = (): GitLimits => current;

/** Sets limits, before the first git process starts. */
export function limitGit(given: Partial<GitLimits>): void {
  current = { ...current, ...given };
}
