/** Numbers that depend on a seed alone. */
export interface Random {
  /** A whole number from `low` to `high`, both included. */
  between(low: number, high: number): number;
  /** One of them. */
  pick<const T>(choices: readonly [T, ...T[]]): T;
}

/** The seed of a run: FAULT_SEED, or a new one. */
export const seedOfRun = (): number => Number(process.env.FAULT_SEED ?? Date.now() % 1_000_000);

/** A generator for `seed` (mulberry32). */
export function random(seed: number): Random {
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (low: number, high: number): number => low + Math.floor(next() * (high - low + 1));
  return { between, pick: (choices) => choices[between(0, choices.length - 1)] as (typeof choices)[number] };
}
