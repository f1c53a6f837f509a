import type { z } from 'zod';
import { invalid, kind, type ParameterSchema, Problem } from './kind';

const dateTimePattern = /^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?\s?(Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Whether a text that begins with a day names one that there is: `Date` takes 30 February for 1 March, and PostgreSQL
 * knows no year 0.
 */
function hasRealDay(written: string): boolean {
  const day = written.slice(0, 10);
  const date = new Date(`${day}T00:00:00Z`);
  return !day.startsWith('0000') && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

/**
 * What the document states of a datetime: the full form alone. No year 0, no leap second, nine digits of a second's
 * fraction.
 */
const fullDateTime: ParameterSchema = {
  type: 'string',
  format: 'date-time',
  pattern: '^(?!0000)\\d{4}-\\d{2}-\\d{2}[Tt]\\d{2}:\\d{2}:[0-5]\\d(\\.\\d{1,9})?([Zz]|[+-]\\d{2}:\\d{2})$',
};

/** A date or a datetime: its text, and its time. */
function readTimestamp(value: unknown): { written: string; date: Date } | Problem {
  // A plus sign in a query string arrives as a space.
  const written = typeof value === 'string' ? value.trim().replace(/ (\d{2}:?\d{2})$/, '+$1') : '';
  if (!dateTimePattern.test(written) || !hasRealDay(written)) return invalid;
  const zoned =
    /(Z|[+-]\d{2}:?\d{2})$/i.test(written) && written.length > 10
      ? written
      : `${written.length > 10 ? written : `${written}T00:00:00`}Z`;
  const date = new Date(zoned.replace(' ', 'T'));
  return Number.isNaN(date.getTime()) ? invalid : { written, date };
}

/** An ISO 8601 datetime; one without a zone is UTC, a bare date its midnight. */
export const dateTime = (): z.ZodType<Date> =>
  kind(fullDateTime, (value) => {
    const read = readTimestamp(value);
    return read instanceof Problem ? read : read.date;
  });

/** A calendar date `YYYY-MM-DD`, kept as its text; a datetime is cut to the day that it writes, whatever its zone. */
export const date = (): z.ZodType<string> =>
  kind({ type: 'string', format: 'date', pattern: '^(?!0000)' }, (value) => {
    const read = readTimestamp(value);
    return read instanceof Problem ? read : read.written.slice(0, 10);
  });
