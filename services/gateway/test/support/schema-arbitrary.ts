import fc from 'fast-check';

/** The forms of JSON Schema that the document uses for requests. */
export interface RequestSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly RequestSchema[];
  readonly allOf?: readonly Rule[];
  readonly format?: string;
  readonly pattern?: string;
  readonly contentMediaType?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: RequestSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, RequestSchema>>;
}

/** A rule over several members of an object. */
interface Rule {
  readonly not?: { readonly required: readonly string[] };
  readonly anyOf?: readonly { readonly required: readonly string[] }[];
  readonly oneOf?: readonly { readonly required: readonly string[] }[];
}

const dates = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T23:59:59Z'), noInvalidDate: true })
  .map((timestamp) => timestamp.toISOString());

/** Texts of all sorts; of each schema those are tried that fit it often enough. */
const pool: readonly fc.Arbitrary<string>[] = [
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ maxLength: 12 }),
  fc.stringMatching(/^[a-z][a-z0-9_-]{0,12}$/),
  fc.stringMatching(/^[A-Za-z0-9_][A-Za-z0-9_. -]{0,20}$/),
  fc.stringMatching(/^[a-z0-9]{1,8}(\/[a-z0-9.]{1,8}){0,3}$/),
  fc.stringMatching(/^#[0-9a-f]{6}$/),
  fc.stringMatching(/^[a-z]{1,8}@[a-z]{1,8}\.com$/),
  fc.stringMatching(/^https:\/\/[a-z]{1,8}\.com\/[a-z]{0,8}$/),
  fc.stringMatching(/^[1-9][wdhm]( [1-9][hm])?$/),
  fc.stringMatching(/^[0-9a-f]{40}$/),
  dates.map((timestamp) => timestamp.slice(0, 10)),
  dates,
  fc.stringMatching(/^[Zz ]{0,3}$/),
];

/** Some texts of each sort, by which it is seen whether the sort fits a schema. */
const samples = pool.map((arbitrary) => ({ arbitrary, texts: fc.sample(arbitrary, { seed: 1, numRuns: 12 }) }));

const lengthOf = (text: string): number => [...text].length;

function texts(schema: RequestSchema): fc.Arbitrary<string> {
  if (schema.contentMediaType === 'application/json')
    return fc.dictionary(fc.string(), fc.integer()).map((one) => JSON.stringify(one));
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, format } = schema;
  const pattern = new RegExp(schema.pattern ?? '', 'u');
  const isDay = (text: string): boolean => !Number.isNaN(Date.parse(text)) && /^\d{4}-\d\d-\d\d$/.test(text);
  const fits = (text: string): boolean => {
    const length = lengthOf(text);
    if (length < minLength || length > maxLength || !pattern.test(text)) return false;
    return format === 'date' ? isDay(text) : format === 'date-time' ? /T.*Z$/.test(text) : true;
  };
  const often = samples.flatMap((one) => (one.texts.filter(fits).length >= 3 ? [one.arbitrary] : []));
  const atBounds =
    Number.isFinite(maxLength) && maxLength <= 2_000 ? ['a', 'é', '😀'].map((sign) => sign.repeat(maxLength)) : [];
  const longest = [...atBounds, 'a'.repeat(minLength)].filter(fits);
  if (often.length + longest.length === 0) throw new Error(`no text fits ${JSON.stringify(schema)}`);
  return fc.oneof(
    ...often.map((one) => ({ weight: 4, arbitrary: one.filter(fits) })),
    ...(longest.length === 0 ? [] : [{ weight: 1, arbitrary: fc.constantFrom(...longest) }]),
  );
}

const known = new Map<string, fc.Arbitrary<unknown>>();

/** Values that fit a schema. The same schemas come again and again: what is known of one is kept. */
export function valuesOf(schema: RequestSchema): fc.Arbitrary<unknown> {
  const key = JSON.stringify(schema);
  const found = known.get(key) ?? arbitraryOf(schema);
  known.set(key, found);
  return found;
}

function arbitraryOf(schema: RequestSchema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.oneOf !== undefined) return fc.oneof(...schema.oneOf.map(valuesOf));
  const kinds = [schema.type ?? 'object'].flat();
  return fc.oneof(...kinds.map((type) => ofType(type, schema)));
}

function ofType(type: string, schema: RequestSchema): fc.Arbitrary<unknown> {
  const { minimum: min = -1e9, maximum: max = 1e9 } = schema;
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.oneof(
        fc.integer({ min: Math.max(min, -9), max: Math.min(max, Math.max(min, 9)) }),
        fc.constantFrom(min, max),
      );
    case 'number':
      return fc.oneof(fc.double({ min, max, noNaN: true }), fc.constantFrom(min, max));
    case 'array': {
      const bounds = { minLength: schema.minItems ?? 0, maxLength: Math.min(schema.maxItems ?? 4, 4) };
      const items = valuesOf(schema.items ?? {});
      return schema.uniqueItems === true ? fc.uniqueArray(items, bounds) : fc.array(items, bounds);
    }
    case 'object':
      return schema.properties === undefined
        ? fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.integer())
        : objects(schema);
    default:
      return texts(schema);
  }
}

function objects(schema: RequestSchema): fc.Arbitrary<Record<string, unknown>> {
  const properties = schema.properties ?? {};
  const needed = schema.required ?? [];
  const values = Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, valuesOf(one)]));
  const free = Object.keys(properties).filter((name) => !needed.includes(name));
  return fc
    .tuple(fc.shuffledSubarray(free, { maxLength: Math.min(5, free.length) }), fc.nat())
    .map(([some, choice]) => within(schema.allOf ?? [], [...needed, ...some], choice))
    .chain((names) =>
      fc.record(Object.fromEntries(names.map((name) => [name, values[name] as fc.Arbitrary<unknown>]))),
    );
}

/** The names without those that a rule forbids, and with those that it asks for. */
function within(rules: readonly Rule[], wanted: readonly string[], choice: number): string[] {
  const names = new Set(wanted);
  for (const { anyOf, oneOf } of rules) {
    const options = (anyOf ?? oneOf ?? []).map(({ required }) => required[0] as string);
    const found = options.filter((name) => names.has(name));
    if (options.length > 0 && found.length === 0) names.add(options[choice % options.length] as string);
    if (oneOf !== undefined) for (const name of found.slice(1)) names.delete(name);
  }
  for (const { not } of rules)
    if (not?.required.every((name) => names.has(name)) === true) names.delete(not.required[1] as string);
  return [...names];
}
