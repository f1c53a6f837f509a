import { isObject, type JsonObject } from './payload-value';

/** Whether JSON may hold integers that numbers do not: looks at digits that begin a value; texts that hold such come along. */
const mayHoldLong = (json: string): boolean => /(?:^|[\s:,[])-?\d{16}/.test(json);

/**
 * A quote, or an integer of 16 to 1,000 digits: those of fewer are exact, and a megabyte of digits would take a second. What has a fraction
 * or an exponent is none.
 */
const quoteOrLong = /"|(?<![\w.+-])-?\d{16,1000}(?![\d.eE])/g;

/**
 * Parses JSON as `JSON.parse` does, but for integers outside ±(2^53 − 1) of at most 1,000 digits, which become `bigint` and keep them. It costs
 * one search where no value begins with 16 digits, else a second reading.
 */
export function parseJson(json: string): unknown {
  const parsed: unknown = JSON.parse(json);
  if (!mayHoldLong(json)) return parsed;
  // Drawn after the text has come, so that no string of it can begin with it.
  const mark = crypto.randomUUID();
  const marked = withMarkedIntegers(json, mark);
  if (marked === json) return parsed;
  return JSON.parse(marked, (_name, value: unknown) =>
    typeof value === 'string' && value.startsWith(mark) ? BigInt(value.slice(mark.length)) : value,
  );
}

/** What `parseJson` read, as JSON again: `JSON.stringify` takes no `bigint`. */
export function writeJson(value: unknown, namesOf: (object: JsonObject) => string[] = Object.keys): string {
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return `[${value.map((one) => writeJson(one, namesOf)).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${namesOf(value)
    .map((name) => `${JSON.stringify(name)}:${writeJson(value[name], namesOf)}`)
    .join()}}`;
}

/** Writes parts of what `parseJson` read from `json`, the fastest way that holds all of it. */
export const writerFor = (json: string): ((value: unknown) => string) =>
  mayHoldLong(json) ? (value) => writeJson(value) : JSON.stringify;

/** JSON in which integers that numbers do not hold are strings that begin with `mark`. */
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

/** What comes after the string whose characters begin at `from`, in JSON that has been parsed. */
function endOfString(json: string, from: number): number {
  for (let at = from; ; at += 1) {
    const character = json.charCodeAt(at);
    if (character === 0x22) return at + 1;
    if (character === 0x5c) at += 1;
  }
}
