import { humanTime } from '@switchyard/texts';

const written = (seconds: number): string => humanTime(seconds) ?? '0s';

/** The text of the system note on a duration that changed, in seconds before and after. */
export const timeNotes: Readonly<Record<string, (change: { old: number; new: number }) => string>> = {
  time_estimate: (change) =>
    change.new === 0 ? 'removed the time estimate' : `changed the time estimate to ${written(change.new)}`,
  time_spent: (change) => {
    const spent = change.new - change.old;
    if (change.new === 0) return 'removed the time spent';
    return spent < 0 ? `subtracted ${written(-spent)} of time spent` : `added ${written(spent)} of time spent`;
  },
};
