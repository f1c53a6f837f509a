/** A pause that `wake` ends; a `wake` before it makes the next one end at once. */
export class WakeablePause {
  #woken = false;
  #end: (() => void) | undefined;

  wake(): void {
    this.#woken = true;
    this.#end?.();
  }

  /** Resolves when woken, and after `milliseconds` where they are given. */
  async sleep(milliseconds?: number): Promise<void> {
    if (!this.#woken) {
      await new Promise<void>((settle) => {
        const timer = milliseconds === undefined ? undefined : setTimeout(settle, milliseconds);
        this.#end = () => {
          clearTimeout(timer);
          settle();
        };
      });
      this.#end = undefined;
    }
    this.#woken = false;
  }
}

/** Milliseconds before the next try: doubling from `first` to `max`, with a quarter of jitter. */
export const backoff = (tries: number, first = 100, max = 5_000): number =>
  Math.min(max, first * 2 ** Math.min(tries, 20)) * (0.75 + Math.random() * 0.25);
