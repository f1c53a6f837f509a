import type { OutboundRefused } from '@switchyard/outbound';
import { type ForgePage, ForgeProblem, type ForgeProblemKind } from '../domain/forge';

/** Seconds until a forge that asks for a pause without saying how long is asked again. */
const pause = 60;
/** Seconds after which a forge is asked again, whatever it says: its limits are those of an hour. */
const longestPause = 3_600;

/** An answer of a forge that is none to what it was asked for. */
export interface RefusingAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** What it says. */
  readonly text: string;
}

/** Seconds until the forge wants to be asked again; undefined where it says nothing of it. */
function pauseOf({ status, headers, text }: RefusingAnswer, now: number): number | undefined {
  const asked = Number(headers['retry-after']);
  if (headers['retry-after'] !== undefined && Number.isFinite(asked)) return asked;
  if (headers['x-ratelimit-remaining'] === '0') return Number(headers['x-ratelimit-reset']) - now / 1_000;
  return status === 429 || /rate limit/i.test(text) ? pause : undefined;
}

const bounded = (seconds: number): number =>
  Math.min(longestPause, Math.max(1, Math.ceil(Number.isFinite(seconds) ? seconds : pause)));

/** Refusals that another try would not change. */
const final = new Set<OutboundRefused['reason']>(['invalid', 'redirect', 'tls', 'too_large']);

/** The token is not good, or no header can carry it. */
export const refusedToken = (): ForgeProblem => new ForgeProblem('token', 'The forge does not accept the token');

/** A page is longer than was asked for. */
export const tooMany = (size: number): ForgeProblem =>
  new ForgeProblem('refused', `The forge sent more than the ${size} items of a page`);

/** The forge answers with something else than it should. */
export const unexpected = (): ForgeProblem =>
  new ForgeProblem('later', 'The forge sent something else than was asked for');

/** What it is that no answer came. */
export function problemOfRefusal(cause: OutboundRefused): ForgeProblem {
  const kind = cause.reason === 'address' ? 'address' : final.has(cause.reason) ? 'refused' : 'later';
  return new ForgeProblem(kind, cause.message, undefined, { cause });
}

/** What a refusing answer means. */
export function problemOfAnswer(answer: RefusingAnswer, now: number): ForgeProblem {
  const { status } = answer;
  if (status === 401) return refusedToken();
  const seconds = status === 403 || status === 429 || status >= 500 ? pauseOf(answer, now) : undefined;
  if (seconds !== undefined) return new ForgeProblem('later', 'The forge asks for a pause', bounded(seconds));
  const kinds: Readonly<Record<number, ForgeProblemKind>> = { 403: 'forbidden', 404: 'not_found', 410: 'not_found' };
  const kind = status >= 500 ? 'later' : (kinds[status] ?? 'refused');
  return new ForgeProblem(kind, `The forge answered ${status}`, undefined, { status });
}

/** Whether a forge does not give something at all, which another try would not change. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof ForgeProblem && ['forbidden', 'not_found', 'refused'].includes(error.kind);

/** The highest number of a page; 0 where the forge does not give it. */
export async function highestOf(asked: Promise<ForgePage<number>>): Promise<number> {
  try {
    return Math.max(0, ...(await asked).items);
  } catch (error) {
    if (isRefusal(error)) return 0;
    throw error;
  }
}
