import type { z } from 'zod';
import { kind, type ParameterSchema, Problem, problem } from './kind';
import { listOf, readItems } from './lists';
import { bounds, type IntegerOptions, readInteger, readText, storable } from './scalars';

/** The words that stand for "has none" and "has some" in filters. */
export type NoneOrAny = 'None' | 'Any';

const noneOrAnyWord: ParameterSchema = { type: 'string', enum: ['None', 'Any'] };

const noneOrAny = (value: unknown): NoneOrAny | undefined => {
  const word = typeof value === 'string' ? value.toLowerCase() : '';
  return word === 'none' ? 'None' : word === 'any' ? 'Any' : undefined;
};

/** An id, or `None` or `Any`; 0 means None. */
export const idOrNoneAny = (): z.ZodType<number | NoneOrAny> =>
  kind({ oneOf: [{ type: 'integer', ...bounds({ min: 0 }) }, noneOrAnyWord] }, (value) => {
    const number = noneOrAny(value) ?? readInteger({ min: 0 })(value);
    return number === 0 ? 'None' : number;
  });

/** A number, or `None` or `Any`; unlike an id it can be 0. */
export const integerOrNoneAny = (options: IntegerOptions = {}): z.ZodType<number | NoneOrAny> =>
  kind(
    { oneOf: [{ type: 'integer', ...bounds(options) }, noneOrAnyWord] },
    (value) => noneOrAny(value) ?? readInteger(options)(value),
  );

const tooMany = (most: number): Problem => problem(`is too long (maximum is ${most} entries)`);

/** Comma-separated names, at most `most` of them, or `None` or `Any`. */
export const csvOrNoneAny = (most?: number): z.ZodType<string[] | NoneOrAny> =>
  kind({ ...listOf(storable), ...(most === undefined ? {} : { maxItems: most }) }, (value) => {
    const list = readItems(readText())(value);
    if (list instanceof Problem) return list;
    if (list.length > (most ?? list.length)) return tooMany(most ?? 0);
    return (list.length === 1 ? noneOrAny(list[0]) : undefined) ?? list;
  });

/** Ids in the spellings of lists, at most `most` of them, or `None` or `Any`. */
export const idsOrNoneAny = (most?: number): z.ZodType<number[] | NoneOrAny> =>
  kind(
    {
      oneOf: [
        { ...listOf({ type: 'integer', ...bounds({ min: 1 }) }), ...(most === undefined ? {} : { maxItems: most }) },
        noneOrAnyWord,
      ],
    },
    (value) => {
      const word = noneOrAny(Array.isArray(value) && value.length === 1 ? value[0] : value);
      if (word !== undefined) return word;
      const list = readItems(readInteger({ min: 1 }))(value);
      if (list instanceof Problem) return list;
      return list.length > (most ?? list.length) ? tooMany(most ?? 0) : list;
    },
  );

/** A text, or `None` or `Any`. */
export const textOrNoneAny = (): z.ZodType<string> => kind(storable, (value) => noneOrAny(value) ?? readText()(value));
