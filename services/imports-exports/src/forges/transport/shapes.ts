import { z } from '@switchyard/config';

/** A date of a year that PostgreSQL and clients know. */
export const date = z
  .string()
  .transform((text) => new Date(text))
  .refine((time) => time.getTime() > 0 && time.getUTCFullYear() < 10_000);
/** A text: PostgreSQL takes neither NUL nor half of a surrogate pair. Every text of a forge passes here, and nowhere else. */
export const written = z.string().transform((given) => given.toWellFormed().replaceAll('\0', ''));
/** A text that may be left out. */
export const text = written.nullish().transform((given) => given ?? '');

/** Labels and assignees of an issue, and characters of a login, that are read: more than a forge allows. */
export const maxOfIssue = 100;

/** A list of which no more than `maxOfIssue` are read; empty where it is none. */
export const few = <T extends z.ZodType>(item: T) =>
  z
    .array(z.unknown())
    .transform((given) => given.slice(0, maxOfIssue))
    .pipe(z.array(item))
    .catch([]);

/** What names a repository for good; undefined where a forge does not say it. */
export const repositoryId = z
  .union([z.int(), z.string().max(255)])
  .transform(String)
  .optional()
  .catch(undefined);

/** A number of an issue, and of what is numbered like one. */
export const number = z
  .int()
  .positive()
  .max(2 ** 31 - 1);
