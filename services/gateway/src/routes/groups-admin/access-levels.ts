import { levels } from '@switchyard/rights';

const { guest, planner, reporter, developer, maintainer, owner } = levels;

/** Levels of a share, a bot or a broadcast message: those of members without the minimal one. */
export const levelsFromGuest = [guest, planner, reporter, developer, maintainer, owner] as const;

/** Levels of members (G-5-14). */
export const memberLevels = [levels.minimal, ...levelsFromGuest] as const;
