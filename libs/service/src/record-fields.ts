import { z } from '@switchyard/config';
import { isStorable } from '@switchyard/texts';

/**
 * Text of at most so many characters, each one code point as in the API; PostgreSQL keeps neither null characters nor
 * halves of surrogate pairs.
 */
const text = (most: number) =>
  z
    .string()
    .refine(
      (given) => given.length <= most || (given.length <= 2 * most && [...given].length <= most),
      `has more than ${most} characters`,
    )
    .refine(isStorable, 'holds characters that cannot be kept');

/** The last year that clients can read. */
const lastYear = 9_999;

const timeFrom = (firstYear: number) =>
  z.iso
    .datetime({ offset: true })
    .transform((given) => new Date(given))
    .refine(
      (at) => at.getUTCFullYear() >= firstYear && at.getUTCFullYear() <= lastYear,
      'lies outside of the calendar',
    );

/** Names of things. */
const names = z.array(text(255)).max(1_000);

/** Longest text of a person. */
const maxText = 1_048_576;

/** Forms of the fields of records (ADR 60). */
export const recordFields = {
  text,
  /** A description or a comment. */
  body: text(maxText),
  /** A moment at which something was done, as a `Date`. */
  time: timeFrom(1_900),
  /** A moment that a user has named: the first releases took any year. */
  namedTime: timeFrom(1),
  date: z.iso.date(),
  /** Numbers of things and amounts. */
  count: z.int().min(0).max(2_147_483_647),
  iid: z.int().min(1).max(2_147_483_647),
  sha: z.string().regex(/^[0-9a-f]{40}(?:[0-9a-f]{24})?$/, 'is no sha'),
  /** Username; null for a user who was deleted. */
  user: text(255).nullable(),
  names,
};
