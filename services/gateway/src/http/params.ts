import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { WrittenNumber } from './json-bytes';

/**
 * The coercions of every public parameter (G-1-4, G-1-5), with GitLab's texts (G-7-2). A schema's issue message is the
 * text behind the parameter's name; `problemsOf` in check-parameters.ts puts the names before them.
 */

/** What the OpenAPI document says of a parameter. */
export type ParameterSchema = Record<string, unknown>;

declare module 'zod' {
  interface GlobalMeta {
    openapi?: ParameterSchema;
    /** True when JSON null is a value of its own; elsewhere it means that the parameter was not sent. */
    acceptsNull?: boolean;
    /** True when an object of a JSON body is taken as the text it is. */
    asWritten?: boolean;
    /** True when the parameter is ignored from callers that are no administrators. */
    forAdministrators?: boolean;
    /** True when the parameter is refused, whatever it says. */
    unsupported?: boolean;
  }
}

class Problem {
  constructor(readonly text: string) {}
}
const problem = (text: string): Problem => new Problem(text);
const invalid = problem('is invalid');

function kind<T>(openapi: ParameterSchema, read: (value: unknown) => T | Problem, acceptsNull = false): z.ZodType<T> {
  return z
    .unknown()
    .transform((value, context): T => {
      const result = value === undefined ? problem('is missing') : read(value);
      if (!(result instanceof Problem)) return result;
      context.issues.push({ code: 'custom', message: result.text, input: value });
      return z.NEVER;
    })
    .meta({ openapi, acceptsNull }) as unknown as z.ZodType<T>;
}

/** True for a value of JSON that has a text form of its own. */
export const isScalar = (value: unknown): value is string | number | boolean | WrittenNumber =>
  typeof value === 'string' ||
  typeof value === 'number' ||
  typeof value === 'boolean' ||
  value instanceof WrittenNumber;

/** A number of JSON as digits with a fraction or an exponent at the most; other values stay. */
const writtenNumber = (value: unknown): unknown =>
  typeof value === 'number' || value instanceof WrittenNumber ? String(Number(value)) : value;

/**
 * Digits of a whole number of JSON: `1.0` and `1e3` are whole, and digits that a number does not hold stay what they
 * are.
 */
function wholeNumber(value: unknown): unknown {
  if (!(value instanceof WrittenNumber)) return writtenNumber(value);
  const whole = /^(-?\d+)(?:\.0+)?$/.exec(value.written)?.[1];
  // Up to fifteen digits are exact.
  return whole ?? (value.written.length <= 15 ? writtenNumber(value) : undefined);
}

/** PostgreSQL stores no NUL, and a lone surrogate has no UTF-8 form: neither could be answered back as sent. */
const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** The same of every key and text in a value of JSON. */
const isStorableValue = (value: unknown): boolean =>
  typeof value === 'string'
    ? isStorable(value)
    : typeof value !== 'object' ||
      value === null ||
      Object.entries(value).every(([key, inner]) => isStorable(key) && isStorableValue(inner));

const isHash = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof WrittenNumber);

/**
 * What the document says of every text: it holds no NUL. Lone surrogates have no form in UTF-8, so no document can hold
 * them.
 */
const storable: ParameterSchema = { type: 'string', pattern: '^[^\\u0000]*$' };

/** The same of a text that is not blank. */
const storableNotBlank: ParameterSchema = { type: 'string', pattern: '^[^\\u0000]*[^\\s\\u0000][^\\u0000]*$' };

/** Options of a text parameter. */
interface TextOptions {
  /** Refuses blank text with `is empty`. */
  notEmpty?: boolean;
}

const readText =
  (options: TextOptions = {}) =>
  (value: unknown): string | Problem => {
    if (!isScalar(value)) return invalid;
    const text = String(value);
    if (!isStorable(text)) return invalid;
    return options.notEmpty === true && text.trim() === '' ? problem('is empty') : text;
  };

/** A string; scalars of JSON are taken as their text. NUL and lone surrogates are refused. */
export const text = (options: TextOptions = {}): z.ZodType<string> =>
  kind(options.notEmpty === true ? storableNotBlank : storable, readText(options));

/** Options of an integer parameter; values outside the range `does not have a valid value`. */
interface IntegerOptions {
  min?: number;
  max?: number;
}

const readInteger =
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

const bounds = ({
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

const booleans = new Map<string, boolean>([
  ...['true', '1', 't', 'yes', 'on', 'y'].map((word) => [word, true] as const),
  ...['false', '0', 'f', 'no', 'off', 'n'].map((word) => [word, false] as const),
]);

/** A boolean in any of the spellings of G-1-5. */
export const boolean = (): z.ZodType<boolean> =>
  kind({ type: 'boolean' }, (value) =>
    isScalar(value) ? (booleans.get(String(value).toLowerCase()) ?? invalid) : invalid,
  );

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
 * What the document says of a datetime: the full form alone. No year 0, no leap second, nine digits of a second's
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

/** Items an array parameter may hold at the most. */
const maxItems = 10_000;

const listOf = (item: ParameterSchema): ParameterSchema => ({ type: 'array', items: item, maxItems });

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

const readItems =
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

/** Comma-separated names, or `None` or `Any`. */
export const csvOrNoneAny = (): z.ZodType<string[] | NoneOrAny> =>
  kind(listOf(storable), (value) => {
    const list = readItems(readText())(value);
    if (list instanceof Problem) return list;
    return (list.length === 1 ? noneOrAny(list[0]) : undefined) ?? list;
  });

/** A text, or `None` or `Any`. */
export const textOrNoneAny = (): z.ZodType<string> => kind(storable, (value) => noneOrAny(value) ?? readText()(value));

/** A schema that takes JSON null as well. */
const orNull = ({ type, enum: words, oneOf, ...facts }: ParameterSchema): ParameterSchema => ({
  ...(type === undefined ? {} : { type: [type, 'null'].flat() }),
  ...(words === undefined ? {} : { enum: [...(words as unknown[]), null] }),
  ...(oneOf === undefined ? {} : { oneOf: [...(oneOf as unknown[]), { type: 'null' }] }),
  ...facts,
});

/** The parameter, or null when it is sent blank or as null: "unassign", "clear". */
export const nullable = <T>(inner: z.ZodType<T>): z.ZodType<T | null> =>
  kind(
    orNull(openapiOf(inner)),
    (value) => {
      if (value === null || value === '') return null;
      const parsed = inner.safeParse(value);
      return parsed.success ? parsed.data : problem(parsed.error.issues[0]?.message ?? 'is invalid');
    },
    true,
  );

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
 * text stands for none. Of a text only the first character is looked at: the reader of the text checks whether it is
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

const describe = (schema: unknown, sentence: string): ParameterSchema => {
  const openapi = openapiOf(schema);
  return { ...openapi, description: [openapi.description, sentence].filter(Boolean).join(' ') };
};

/**
 * A filter that nothing is behind yet. It is refused with `is not supported`: a list that ignored it would hold what
 * was not asked for. The document names it in the description of the operation alone, so that what fits the document is
 * accepted. Options that only add fields are left undeclared instead: those are ignored.
 */
export const unsupported = <T>(inner: z.ZodType<T>): z.ZodType<undefined> =>
  kind(openapiOf(inner), (value) => {
    const parsed = inner.safeParse(value);
    return problem(parsed.success ? 'is not supported' : (parsed.error.issues[0]?.message ?? 'is invalid'));
  })
    .meta({ openapi: openapiOf(inner), unsupported: true })
    .optional() as unknown as z.ZodType<undefined>;

/**
 * A setting that nothing enforces yet: it can be sent with the value that describes what happens, `standard`. Any other
 * is refused, for it would promise what is not kept.
 */
export const onlyDefault = <T>(inner: z.ZodType<T>, standard: T): z.ZodType<T> => {
  const written = JSON.stringify(standard);
  return kind(
    { ...describe(inner, `Not supported yet: values other than ${written} are refused with 400.`), const: standard },
    (value) => {
      const parsed = inner.safeParse(value);
      if (!parsed.success) return problem(parsed.error.issues[0]?.message ?? 'is invalid');
      return isDeepStrictEqual(parsed.data, standard) ? parsed.data : problem(`is not supported except as ${written}`);
    },
    acceptsNull(inner),
  );
};

/**
 * A parameter that administrators alone can send; from others it is ignored before anything is said of it (G-4.15-11).
 */
export const forAdministrators = <T extends z.ZodType>(schema: T): T =>
  schema.meta({
    openapi: describe(schema, 'For administrators; ignored from others.'),
    acceptsNull: acceptsNull(schema),
    forAdministrators: true,
  }) as T;

/**
 * The same parameter; the document says more of it: what the service behind refuses, such as a length, or what it
 * means. `facts` stand beside and over those of the schema. Fails nothing itself: the texts of such refusals are the
 * service's.
 */
export const documented = <T>(schema: z.ZodType<T>, facts: ParameterSchema): z.ZodType<T> =>
  schema.meta({
    acceptsNull: acceptsNull(schema),
    asWritten: isAsWritten(schema),
    openapi: { ...openapiOf(schema), ...facts },
  });

/** What the OpenAPI document says of a schema built from this file: what it takes, not what it gives. */
export function openapiOf(schema: unknown): ParameterSchema {
  const { $schema: _, ...own } = z.toJSONSchema(schema as z.ZodType, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => describeInDocument(zodSchema, jsonSchema),
  });
  return own;
}

/**
 * Completes zod's JSON Schema: zod knows neither what `kind` takes nor, on the input side, the default of a transform.
 */
function describeInDocument(schema: unknown, json: ParameterSchema): void {
  const own = (schema as z.ZodType).meta()?.openapi;
  if (own !== undefined) replace(json, own);
  else if (schema instanceof z.ZodDefault) json.default = schema.parse(undefined);
  else if (schema instanceof z.ZodObject) replace(json, withoutUnsupported(schema, json));
}

function replace(json: ParameterSchema, by: ParameterSchema): void {
  for (const key of Object.keys(json)) delete json[key];
  Object.assign(json, by);
}

const withoutUnsupported = ({ shape }: z.ZodObject, { type, required, properties }: ParameterSchema) => ({
  type,
  ...(required === undefined ? {} : { required }),
  properties: Object.fromEntries(
    Object.entries(properties as ParameterSchema).filter(([name]) => !isUnsupported(shape[name])),
  ),
});

/** The document's schema of an object with these members, without those that are refused. */
export const objectOf = (shape: Readonly<Record<string, unknown>>): ParameterSchema =>
  openapiOf(z.object(shape as z.ZodRawShape));

/** What an optional schema, or one with a default, says of values that are sent; undefined for every other. */
const unwrapped = (schema: unknown): unknown =>
  schema instanceof z.ZodOptional || schema instanceof z.ZodDefault ? schema.unwrap() : undefined;

/** The members of a hash, through what makes it optional; undefined for every other kind of parameter. */
export function memberShape(schema: unknown): z.ZodRawShape | undefined {
  if (schema instanceof z.ZodObject) return schema.shape;
  const inner = schema instanceof z.ZodPipe ? schema.out : unwrapped(schema);
  return inner === undefined ? undefined : memberShape(inner);
}

/** Whether a parameter may be left out. */
export const acceptsAbsence = (schema: unknown): boolean => unwrapped(schema) !== undefined;

type Mark = 'acceptsNull' | 'asWritten' | 'forAdministrators' | 'unsupported';

function isMarked(schema: unknown, mark: Mark): boolean {
  const inner = unwrapped(schema);
  return (schema as z.ZodType).meta()?.[mark] ?? (inner !== undefined && isMarked(inner, mark));
}

/** True when the parameter is refused, whatever it says. */
export const isUnsupported = (schema: unknown): boolean => isMarked(schema, 'unsupported');

/** True when JSON null is a value of the schema rather than "not sent". */
export const acceptsNull = (schema: unknown): boolean => isMarked(schema, 'acceptsNull');

/** True when an object of a JSON body is taken as the text it is. */
export const isAsWritten = (schema: unknown): boolean => isMarked(schema, 'asWritten');

/** True when the parameter is ignored from callers that are no administrators. */
export const isForAdministrators = (schema: unknown): boolean => isMarked(schema, 'forAdministrators');
