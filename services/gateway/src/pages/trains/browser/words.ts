import type { Control, Departure, Entry, Statistics, TrainView } from './representations.ts';

/** How an entry stands: its colour, its word, and what it waits for. */
export interface Standing {
  readonly kind: 'landing' | 'passed' | 'testing' | 'building' | 'waiting' | 'failing' | 'held';
  readonly word: string;
  /** Empty when the word says it all. */
  readonly detail: string;
}

/** Names that a sentence lists; the rest is counted. */
const listed = 3;

/** `a, b and 2 more`. */
export function listOf(names: readonly string[]): string {
  if (names.length <= listed) return names.join(', ');
  return `${names.slice(0, listed).join(', ')} and ${names.length - listed} more`;
}

function testing(entry: Entry): Standing {
  const names = entry.waiting_for?.statuses ?? [];
  return { kind: 'testing', word: 'Testing', detail: names.length === 0 ? '' : `waits for ${listOf(names)}` };
}

const waits: Readonly<Record<string, (entry: Entry) => Standing>> = {
  place: () => ({ kind: 'waiting', word: 'Queued', detail: 'waits for a free place' }),
  build: () => ({ kind: 'building', word: 'Building', detail: '' }),
  statuses: testing,
  settling: () => ({ kind: 'testing', word: 'Settling', detail: 'passed so far; another status may follow' }),
  cars_ahead: (entry) =>
    entry.tested_sha === null || entry.tested_sha === undefined
      ? { kind: 'waiting', word: 'Queued', detail: 'waits for those ahead' }
      : { kind: 'passed', word: 'Passed', detail: 'waits for those ahead' },
  rerun: () => ({ kind: 'testing', word: 'Rerun', detail: 'the same commit is tested again' }),
  train: () => ({ kind: 'held', word: 'On hold', detail: 'the train is paused' }),
};

/** How an entry stands. */
export function standingOf(entry: Entry): Standing {
  if (entry.status === 'merging') return { kind: 'landing', word: 'Landing', detail: '' };
  const reason = entry.waiting_for?.reason;
  if (entry.failing === true) {
    const detail =
      reason === 'rerun'
        ? 'is tested again before it is blamed'
        : reason === 'train'
          ? 'keeps its place; the train is paused'
          : 'keeps its place until those ahead have landed';
    return { kind: 'failing', word: 'Failing', detail };
  }
  if (entry.waiting_for === null) return { kind: 'passed', word: 'Passed', detail: 'lands next' };
  const known = reason === undefined ? undefined : waits[reason];
  if (known !== undefined) return known(entry);
  return entry.pipeline === null ? { kind: 'waiting', word: 'Queued', detail: '' } : testing(entry);
}

const reasons: Readonly<Record<string, string>> = {
  merged: 'Landed',
  canceled: 'Taken off',
  closed: 'Closed',
  draft: 'Marked as a draft',
  pushed: 'New commits were pushed',
  pipeline_failed: 'Its pipeline failed',
  pipeline_canceled: 'Its pipeline was canceled',
  timeout: 'Its pipeline took too long',
  conflict: 'It conflicts with the target branch',
  no_changes: 'It has no changes left',
  not_mergeable: 'It can no longer be merged',
  right_lost: 'Its user may no longer merge',
  user_gone: 'Its user is gone',
  source_branch_deleted: 'Its branch was deleted',
  target_branch_deleted: 'The target branch was deleted',
  retargeted: 'It has another target branch',
  trains_disabled: 'Merge trains were switched off',
  merged_by_push: 'A push brought its commits',
  skipped: 'Merged past the train',
  build_failed: 'It could not be built',
  archived: 'The project was archived',
};

/** Why an entry is gone, in words. */
export const reasonOf = (reason: string): string => reasons[reason] ?? reason.replaceAll('_', ' ');

/** How a train is controlled, in words. */
export interface ControlWords {
  /** A class of the style sheet. */
  readonly kind: 'running' | 'paused' | 'draining' | 'stopped' | 'unknown';
  readonly title: string;
  readonly text: string;
  /** The sentence that a screen reader is notified with. */
  readonly spoken: string;
}

const controls: Readonly<Record<string, ControlWords>> = {
  running: {
    kind: 'running',
    title: 'Running',
    text: 'Cars are tested and land in their order.',
    spoken: 'The train is running.',
  },
  paused: {
    kind: 'paused',
    title: 'Paused',
    text: 'Nothing lands. Cars keep their places, and new ones can be added.',
    spoken: 'The train is paused.',
  },
  draining: {
    kind: 'draining',
    title: 'Draining',
    text: 'Cars in the train land. No new one is added.',
    spoken: 'The train is draining.',
  },
};

const stopped: ControlWords = {
  kind: 'stopped',
  title: 'Stopped: the target branch fails',
  text: 'The same status failed for cars in a row, so no car is blamed. The train goes on once the branch itself passes.',
  spoken: 'The train stopped itself: the target branch fails.',
};

/** How a train is controlled. A state that this page does not know, of a newer server, is shown by its name. */
export function controlOf({ state, reason }: Pick<Control, 'state' | 'reason'>): ControlWords {
  if (state === 'paused' && reason === 'target_failing') return stopped;
  const known = Object.hasOwn(controls, state) ? controls[state] : undefined;
  if (known !== undefined) return known;
  const name = state.replaceAll('_', ' ');
  return { kind: 'unknown', title: `State: ${name}`, text: '', spoken: `The state of the train is ${name}.` };
}

/** The departures that a screen reader is notified of; empty when there is none. */
export function newsOf(before: readonly Departure[], after: readonly Departure[]): string {
  const known = new Set(before.map((one) => `${one.merge_request_iid} ${one.at}`));
  const left = after.filter((one) => !known.has(`${one.merge_request_iid} ${one.at}`)).reverse();
  if (left.length > listed) return `${left.length} merge requests have landed or been removed.`;
  return left.map((one) => `!${one.merge_request_iid}: ${reasonOf(one.reason)}.`).join(' ');
}

/** A train as a screen reader knows it. */
export interface Spoken {
  readonly view: TrainView;
  readonly isLive: boolean;
}

/** The changes between two points in time that a screen reader is notified of; empty when there is none. */
export function newsBetween(before: Spoken, now: Spoken): string {
  const { spoken } = controlOf(now.view.control);
  return [
    before.isLive === now.isLive ? '' : now.isLive ? 'Live again.' : 'Not live.',
    controlOf(before.view.control).spoken === spoken ? '' : spoken,
    newsOf(before.view.departures, now.view.departures),
  ]
    .filter((part) => part !== '')
    .join(' ');
}

/** The first characters of a commit's name. */
export const shortSha = (sha: string): string => sha.slice(0, 8);

/** `90 s`, `12 min`, `3 h 05 min`, `2 d 4 h`. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole < 100) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 100) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** `in 12 min`, `3 min ago`, `now`. */
export function relative(at: number, now: number): string {
  const seconds = (at - now) / 1_000;
  if (Math.abs(seconds) < 5) return 'now';
  return seconds > 0 ? `in ${duration(seconds)}` : `${duration(-seconds)} ago`;
}

/** A duration at an axis: `45 min`, `1.5 h`. */
export const axisDuration = (seconds: number): string =>
  seconds < 3_600 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 360) / 10} h`;

/** When a car is expected: what lies in the past is late by less than the forecast knows. */
export const expected = (at: number, now: number): string => (at - now < 5_000 ? 'any moment' : relative(at, now));

/** An address that may stand in a link: what a CI reported may be anything. */
export function linkTo(address: string | null | undefined): string | undefined {
  if (address === null || address === undefined || !URL.canParse(address)) return undefined;
  return /^https?:$/.test(new URL(address).protocol) ? address : undefined;
}

/** The key figures of a time, as name and value. */
export const figuresOf = ({ landings, turnaround, builds_per_landing, paused_share, removals }: Statistics) => [
  ['Landed', String(landings)],
  ['Removed', String(removals.reduce((sum, { count }) => sum + count, 0))],
  ['Median time in the train', turnaround.p50 === null ? '–' : duration(turnaround.p50)],
  ['95 % are faster than', turnaround.p95 === null ? '–' : duration(turnaround.p95)],
  ['Builds per landing', builds_per_landing === null ? '–' : builds_per_landing.toFixed(2)],
  ['Time paused', `${Math.round(paused_share * 100)} %`],
];
