import { unavailable } from '@switchyard/errors';
import type { Claims } from '@switchyard/protos/rpc/v1/identity';

/**
 * Numbers of one run that are remembered: as many as 3,500 calls a second make in the five minutes for which claims are
 * good.
 */
const remembered = 1 << 20;
const words = remembered / 32;

/** Runs of other processes within five minutes, 128 KiB each; far more than an installation starts. */
const maxRuns = 512;

/** Numbers taken of one run: a ring of bits behind the newest, moved on by whole words (RFC 6479). */
class TakenNumbers {
  /** Unix seconds at which the last of its claims has expired. */
  until = 0;
  #newest = 0;
  readonly #bits = new Uint32Array(words);

  take(number: number): boolean {
    const at = Math.floor(number / 32);
    if (number > this.#newest) {
      const last = Math.floor(this.#newest / 32);
      for (let word = Math.max(last, at - words) + 1; word <= at; word += 1) this.#bits[word % words] = 0;
      this.#newest = number;
    } else if (number <= this.#newest - remembered + 32) {
      return false;
    }
    const bit = 1 << (number % 32);
    const taken = this.#bits[at % words] ?? 0;
    if ((taken & bit) !== 0) return false;
    this.#bits[at % words] = taken | bit;
    return true;
  }
}

/**
 * Which claims a process has taken, so that it takes each once (D3). Memory does not grow with the number of calls:
 * claims count from one within a run of their signer, and what is older than the last million of a run is refused
 * unseen.
 */
export class UsedClaims {
  readonly #runs = new Map<string, TakenNumbers>();

  /**
   * Takes claims whose signature has been verified; false when they were taken before, or are too old to know.
   * @throws AppError unavailable when more processes have started within five minutes than are kept apart
   */
  take({ run, sequence, expiresAt }: Claims): boolean {
    if (sequence < 1) return false;
    let numbers = this.#runs.get(run);
    if (numbers === undefined) {
      this.#forgetExpired();
      if (this.#runs.size >= maxRuns) throw unavailable(new Error('too many runs of signing processes'));
      numbers = new TakenNumbers();
      this.#runs.set(run, numbers);
    }
    if (expiresAt > numbers.until) numbers.until = expiresAt;
    return numbers.take(sequence);
  }

  #forgetExpired(): void {
    const now = Date.now() / 1000;
    for (const [run, { until }] of this.#runs) if (until < now) this.#runs.delete(run);
  }
}
