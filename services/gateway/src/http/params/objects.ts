import { isStorable, isStorableValue } from '@switchyard/texts';
import { z } from 'zod';
import { isHash, writtenNumber } from './json-values';
import { invalid, kind, Problem } from './kind';
import { readText, storable } from './scalars';

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

/** Texts by names of the caller's own, such as `custom_attributes[key]`; at most `maxNames` of them. */
export const textsByName = ({ maxNames }: { maxNames: number }): z.ZodType<Record<string, string>> =>
  kind({ type: 'object', maxProperties: maxNames, additionalProperties: storable }, (value) => {
    if (!isHash(value) || !isStorableValue(value)) return invalid;
    const texts = Object.entries(value).map(([name, one]) => [name, readText()(one)] as const);
    if (
      texts.length > maxNames ||
      !texts.every((entry): entry is readonly [string, string] => !(entry[1] instanceof Problem))
    )
      return invalid;
    return Object.fromEntries(texts);
  });
