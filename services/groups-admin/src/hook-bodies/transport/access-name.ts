import { levels } from '@switchyard/rights';

const names: readonly (readonly [number, string])[] = [
  [levels.owner, 'Owner'],
  [levels.maintainer, 'Maintainer'],
  [levels.developer, 'Developer'],
  [levels.reporter, 'Reporter'],
  [levels.planner, 'Planner'],
  [levels.guest, 'Guest'],
  [levels.minimal, 'Minimal Access'],
];

/** A level in words, as hook bodies have it; null where none is known, such as of a member who was removed. */
export const accessName = (level: number | undefined): string | null =>
  level === undefined ? null : (names.find(([least]) => level >= least)?.[1] ?? 'No access');
