import { isStorable, parseBoolean } from '@switchyard/texts';
import type { z } from 'zod';
import { isScalar, wholeNumber, writtenNumber } from './json-values';
import { invalid, kind, type ParameterSchema, Problem, problem } from './kind';
import { unshowable } from './unshowable';

/**
 * What the document states of every text: it holds no NUL. Lone surrogates have no form in UTF-8, so no document can hold
 * them.
 */
export const storable: ParameterSchema = { type: 'string', pattern: '^[^\\u0000]*$' };

/** The same of a text that is not blank. */
const storableNotBlank: ParameterSchema = { type: 'string', pattern: '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$' };

const lineBreaker = new RegExp(`[${unshowable}]`, 'u');

/** Options of a text parameter. */
interface TextOptions {
  /** Refuses blank text with `is empty`. */
  notEmpty?: boolean;
  /** Most characters; more `is too long`. */
  max?: number;
  /** Refuses what a line cannot show, such as a line break, with `is invalid`; white space at the ends is not read. */
  oneLine?: boolean;
}

/** Reads a text. */
export const readText =
  (options: TextOptions = {}) =>
  (value: unknown): string | Problem => {
    if (!isScalar(value)) return invalid;
    const text = String(value);
    if (!isStorable(text)) return invalid;
    if (options.notEmpty === true && text.trim() === '') return problem('is empty');
    if (options.oneLine === true && lineBreaker.test(text.trim())) return invalid;
    const { max = Number.POSITIVE_INFINITY } = options;
    // Counting characters is slow: only when the UTF-16 length leaves it open.
    return text.length > max && (text.length > 2 * max || [...text].length > max)
      ? problem(`is too long (maximum is ${max} characters)`)
      : text;
  };

/** A string; scalars of JSON are taken as their text. NUL and lone surrogates are refused. */
export const text = (options: TextOptions = {}): z.ZodType<string> =>
  kind(
    {
      ...(options.notEmpty === true ? storableNotBlank : storable),
      ...(options.max === undefined ? {} : { maxLength: options.max }),
    },
    readText(options),
  );

/** Options of an integer parameter; values outside the range `does not have a valid value`. */
export interface IntegerOptions {
  min?: number;
  max?: number;
}

/** Reads a whole number. */
export const readInteger =
  ({ min, max }: IntegerOptions = {}) =>
  (value: unknown): number | Problem => {
    const written = wholeNumber(value);
    if (typeof written !== 'string' || !/^[+-]?\d{1,16}$/.test(written.trim())) return invalid;
    const number = Number(written);
    if (!Number.isSafeInteger(number)) return invalid;
    return (min !== undefined && number < min) || (max !== undefined && number > max)
      ? problem('does not have a valid value')
      : number;
  };

/** A whole number up to 2^53. */
export const integer = (options: IntegerOptions = {}): z.ZodType<number> =>
  kind({ type: 'integer', ...bounds(options) }, readInteger(options));

/** What the document states of the range of an integer. */
export const bounds = ({
  min = Number.MIN_SAFE_INTEGER,
  max = Number.MAX_SAFE_INTEGER,
}: IntegerOptions = {}): ParameterSchema => ({ minimum: min, maximum: max });

/** Largest number with a fraction. */
const maxFloat = 999_999_999_999_999;

/** A number with a fraction, as JSON and its text form write it. */
export const float = (): z.ZodType<number> =>
  kind({ type: 'number', minimum: -maxFloat, maximum: maxFloat }, (value) => {
    const written = writtenNumber(value);
    if (typeof written !== 'string' || !/^[+-]?\d{1,15}(\.\d{1,40})?(e-?\d{1,3})?$/i.test(written.trim()))
      return invalid;
    const number = Number(written);
    return Math.abs(number) <= maxFloat ? number : invalid;
  });

/** A boolean in any of the spellings of G-1-5. */
export const boolean = (): z.ZodType<boolean> =>
  kind({ type: 'boolean' }, (value) => (isScalar(value) ? (parseBoolean(String(value)) ?? invalid) : invalid));

/** One of a list of words. */
export const oneOf = <const T extends string>(...words: readonly T[]): z.ZodType<T> =>
  kind({ type: 'string', enum: [...words] }, (value) =>
    isScalar(value) && words.includes(String(value) as T)
      ? (String(value) as T)
      : problem('does not have a valid value'),
  );

/** One of a list of whole numbers. */
export const oneOfIntegers = <const T extends number>(...numbers: readonly T[]): z.ZodType<T> =>
  kind({ type: 'integer', enum: [...numbers] }, (value) => {
    const number = readInteger()(value);
    if (number instanceof Problem) return number;
    return numbers.includes(number as T) ? (number as T) : problem('does not have a valid value');
  });
