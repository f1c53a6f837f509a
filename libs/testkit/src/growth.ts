/** Processor seconds of this process that `work` takes: the machine's other load does not count. */
function cost(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

/**
 * How the time of `work` grows with the size of its input, as an exponent: 1 is linear, 2 quadratic. Small sizes are doubled until one
 * takes 20 ms, or the largest is reached, which counts as linear; then it is compared with a quarter of that size, the least of three runs each, and of two comparisons the lesser one.
 */
export function growth(work: (size: number) => void, { from = 1_000, to = 1 << 20 } = {}): number {
  const least = (size: number): number => Math.min(...[1, 2, 3].map(() => cost(() => work(size))));
  for (let size = from; size <= to; size *= 2) {
    if (cost(() => work(size)) < 0.02) continue;
    const measured = (): number => Math.log(least(size) / Math.max(least(size / 4), 1e-5)) / Math.log(4);
    // Other work on the machine makes it look like more at one moment, and not at every moment.
    return Math.min(measured(), measured());
  }
  return 1;
}
