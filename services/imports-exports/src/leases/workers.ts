import type { Repeating } from '@switchyard/background';

/** Some workers of a process that do the same kind of work: a large piece of it holds nobody else's up. */
export function workers(atOnce: number) {
  const working: Repeating[] = [];
  return {
    /** Starts them. @param work starts one */
    start(work: () => Repeating): readonly Repeating[] {
      for (let at = 0; at < atOnce; at += 1) working.push(work());
      return working;
    },

    /** Has new work begun soon. */
    soon(): void {
      for (const one of working) one.soon();
    },
  };
}
