/**
 * Runs work on one key after another, in the order requested. Writers to one branch would otherwise each build a
 * commit and find, at the compare-and-swap, that another was faster; the swap still decides between processes.
 */
export function inTurn(): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const last = new Map<string, Promise<unknown>>();
  return (key, work) => {
    const run = (last.get(key) ?? Promise.resolve()).then(work);
    const end = run
      .catch(() => {})
      .then(() => {
        if (last.get(key) === end) last.delete(key);
      });
    last.set(key, end);
    return run;
  };
}
