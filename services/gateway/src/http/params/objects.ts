import { z } from 'zod';
import { isHash, isStorable, isStorableValue, writtenNumber } from './json-values';
import { invalid, kind } from './kind';

/** A hash such as `not[author_id]`; problems are named `not[author_id] is invalid`. */
export const hash = <T extends z.ZodRawShape>(shape: T): z.ZodType<z.infer<z.ZodObject<T>>> =>
  z.preprocess(
    (value) => (value === null || value === '' ? {} : writtenNumber(value)),
    z.object(shape, { error: () => 'is invalid' }),
  ) as unknown as z.ZodType<z.infer<z.ZodObject<T>>>;

/** An array of hashes such as `actions[][action]`. */
export const hashes = <T extends z.ZodRawShape>(shape: T): z.ZodType<z.infer<z.ZodObject<T>>[]> =>
  z.preprocess(
    (value) => (isHash(value) ? Object.values(value) : Array.isArray(value) ? value.map(writtenNumber) : value),
    z.array(z.object(shape, { error: () => 'is invalid' }), {
      error: (issue) => (issue.input === undefined ? 'is missing' : 'is invalid'),
    }),
  ) as unknown as z.ZodType<z.infer<z.ZodObject<T>>[]>;

/** A value of JSON with numbers as numbers. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/**
 * An object of any content, as JSON or bracket syntax. NUL and lone surrogates are refused wherever they stand in it.
 */
export const object = (): z.ZodType<Record<string, unknown>> =>
  kind({ type: 'object' }, (value) => (isHash(value) && isStorableValue(value) ? plain(value) : invalid));

/**
 * A JSON object as it stands in a JSON body, to the letter, or as a text that holds one; given as JSON text. A blank
 * text stands for none. Of a text only the first character is checked: the reader of the text checks whether it is
 * JSON.
 */
export function jsonText(): z.ZodType<string> {
  const openapi = {
    oneOf: [
      { type: 'object' },
      { type: 'string', contentMediaType: 'application/json', contentSchema: { type: 'object' } },
    ],
  };
  return kind(openapi, (value) => {
    if (typeof value === 'string')
      return value.trim() === '' ? '' : /^\s*\{/.test(value) && isStorable(value) ? value : invalid;
    return isHash(value) ? JSON.stringify(value) : invalid;
  }).meta({ openapi, asWritten: true });
}
