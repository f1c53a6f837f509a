import type { z } from 'zod';
import { isHash, isScalar } from './json-values';
import { invalid, kind, type ParameterSchema, Problem, problem } from './kind';
import { bounds, type IntegerOptions, readInteger, readText, storable } from './scalars';

/** Items an array parameter may hold at the most. */
const maxItems = 10_000;

/** What the document states of a list. */
export const listOf = (item: ParameterSchema): ParameterSchema => ({ type: 'array', items: item, maxItems });

function items(value: unknown): unknown[] | Problem {
  if (value === null) return [];
  const list = Array.isArray(value)
    ? value
    : isHash(value)
      ? Object.values(value)
      : isScalar(value)
        ? String(value) === ''
          ? []
          : String(value).split(',')
        : invalid;
  return list instanceof Problem || list.length > maxItems ? invalid : list;
}

/** Reads the items of a list, in any of its spellings; `whole` takes items of an array to the letter. */
export const readItems =
  <T>(read: (value: unknown) => T | Problem, { whole = false } = {}) =>
  (value: unknown): T[] | Problem => {
    const list = items(value);
    if (list instanceof Problem) return list;
    const out: T[] = [];
    const asIs = whole && !isScalar(value);
    // Each item of a list may be a list in the short spelling itself.
    for (const item of asIs ? list : list.flatMap((one) => (typeof one === 'string' ? one.split(',') : [one]))) {
      const one = read(typeof item === 'string' && !asIs ? item.trim() : item);
      if (one instanceof Problem) return one;
      out.push(one);
    }
    return out;
  };

/** Strings as `a[]=`, `a[0]=`, a JSON array or one comma-joined string; null is the empty array (G-1-4). */
export const csv = (): z.ZodType<string[]> => kind(listOf(storable), readItems(readText()), true);

/** Strings in the spellings of `csv`, but items of an array are taken to the letter, commas and blanks included. */
export const texts = (): z.ZodType<string[]> => kind(listOf(storable), readItems(readText(), { whole: true }), true);

/** Whole numbers in the spellings of `csv`. */
export const integers = (options: IntegerOptions = {}): z.ZodType<number[]> =>
  kind(
    listOf({ type: 'integer', ...bounds(options) }),
    (value) => {
      const numbers = readItems(readInteger(options))(
        Array.isArray(value) ? value.filter((item) => item !== '') : value,
      );
      return numbers;
    },
    true,
  );

/** Values of a closed list, in the spellings of `csv`. */
export const manyOf = <const T extends string>(...words: readonly T[]): z.ZodType<T[]> =>
  kind(
    listOf({ type: 'string', enum: [...words] }),
    (value) => {
      const list = readItems(readText())(value);
      if (list instanceof Problem) return list;
      return list.every((word) => words.includes(word as T)) ? (list as T[]) : problem('does not have a valid value');
    },
    true,
  );

/** Numbers of a closed list, in the spellings of `csv`. */
export const manyOfIntegers = <const T extends number>(...numbers: readonly T[]): z.ZodType<T[]> =>
  kind(
    listOf({ type: 'integer', enum: [...numbers] }),
    (value) => {
      const list = readItems(readInteger())(value);
      if (list instanceof Problem) return list;
      return list.every((number) => numbers.includes(number as T))
        ? (list as T[])
        : problem('does not have a valid value');
    },
    true,
  );
