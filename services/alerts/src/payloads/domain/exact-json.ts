import { isObject, type JsonObject } from './payload-value';

/**
 * Whether JSON may contain integers beyond the range of numbers: 16 digits at the start of a value, or of a part of a
 * text.
 */
const mayHoldLong = (json: string): boolean => /(?:^|[\s:,[])-?\d{16}/.test(json);

/**
 * A quote, or an integer of 16 to 1,000 digits, without fraction and exponent. Shorter ones are exact; a megabyte of
 * digits would take a second.
 */
const quoteOrLong = /"|(?<![\w.+-])-?\d{16,1000}(?![\d.eE])/g;

/**
 * Parses JSON as `JSON.parse` does, except that integers outside ±(2^53 − 1) of at most 1,000 digits become exact
 * `bigint`s. It costs one search, and a second parse when a value begins with 16 digits.
 */
export function parseJson(json: string): unknown {
  const parsed: unknown = JSON.parse(json);
  if (!mayHoldLong(json)) return parsed;
  // Random, and generated after the text was received: no string in it begins with the mark.
  const mark = crypto.randomUUID();
  const marked = withMarkedIntegers(json, mark);
  if (marked === json) return parsed;
  return JSON.parse(marked, (_name, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

/** The result of `parseJson` as JSON: `JSON.stringify` refuses `bigint`. */
export function writeJson(value: unknown, namesOf: (object: JsonObject) => string[] = Object.keys): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map((one) => writeJson(one, namesOf)).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${namesOf(value)
    .map((name) => `${JSON.stringify(name)}:${writeJson(value[name], namesOf)}`)
    .join()}}`;
}

/** Writes parts of what `parseJson` read from `json`, in the fastest exact way. */
export const writerFor = (json: string): ((value: unknown) => string) =>
  mayHoldLong(json) ? (value) => writeJson(value) : JSON.stringify;

/** JSON in which integers beyond the range of numbers are strings that begin with `mark`. */
function withMarkedIntegers(json: string, mark: string): string {
  const parts: string[] = [];
  let copied = 0;
  quoteOrLong.lastIndex = 0;
  for (let found = quoteOrLong.exec(json); found !== null; found = quoteOrLong.exec(json)) {
    const [token] = found;
    if (token === '"') {
      quoteOrLong.lastIndex = endOfString(json, found.index + 1);
      continue;
    }
    if (Number.isSafeInteger(Number(token))) continue;
    parts.push(json.slice(copied, found.index), `"${mark}${token}"`);
    copied = quoteOrLong.lastIndex;
  }
  return copied === 0 ? json : parts.join('') + json.slice(copied);
}

/** Index after the string whose characters begin at `from`, in valid JSON. */
function endOfString(json: string, from: number): number {
  for (let at = from; ; at += 1) {
    const character = json.charCodeAt(at);
    if (character === 0x22) return at + 1;
    if (character === 0x5c) at += 1;
  }
}
