import { randomBytes } from 'node:crypto';

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const opening = new Set([...Buffer.from('{[')]);
const closing = new Set([...Buffer.from('}]')]);

/**
 * The members of an object as they are written, by their names: what a parser makes of them has lost digits, and
 * members that come twice.
 * @param json a JSON object that has been parsed
 */
export function writtenMembers(json: Buffer, names: ReadonlySet<string>): Map<string, string> {
  const found = new Map<string, string>();
  let depth = 0;
  let name: string | undefined;
  let from = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] as number;
    if (byte === quote) {
      const end = endOfString(json, at + 1);
      if (depth === 1 && name === undefined) name = JSON.parse(json.toString('utf8', at, end + 1)) as string;
      at = end;
    } else if (opening.has(byte)) depth += 1;
    else if (closing.has(byte)) depth -= 1;
    else if (byte === colon && depth === 1) from = at + 1;
    if (name === undefined || !(depth === 0 || (byte === comma && depth === 1))) continue;
    if (names.has(name)) found.set(name, json.toString('utf8', from, at).trim());
    name = undefined;
  }
  return found;
}

/** Where the string that begins at `from` has its closing quote; -1 when it has none. */
function endOfString(json: Buffer, from: number): number {
  for (let at = json.indexOf(quote, from); at !== -1; at = json.indexOf(quote, at + 1)) {
    let before = at - 1;
    while (before >= from && json[before] === backslash) before -= 1;
    if ((at - before) % 2 === 1) return at;
  }
  return -1;
}

/**
 * A number of a JSON body that a number of JavaScript would write otherwise: `9007199254740993`, `1.0`, `0.10`, `1e3`,
 * `-0`. As a text it is what was written; calculated with, or written as JSON, it is its value.
 */
export class WrittenNumber extends Number {
  constructor(readonly written: string) {
    super(written);
  }

  override toString(): string {
    return this.written;
  }
}

/** Whether JSON may hold such numbers; texts that look like them come along. */
const mayHoldWritten = /\d[.eE]|\d{16}|-0/;

/** A quote, or a number that may be one of them. */
const quoteOrNumber = /"|(?<![\w.+-])(?:-0|-?\d{16,}|-?\d{1,15}[.eE])[\d.eE+-]*/g;

/** Numbers of one body that keep how they are written, which bounds what they cost: no array parameter takes more. */
const maxWritten = 10_000;

/**
 * Parses JSON as `JSON.parse` does, but for numbers that are written otherwise than JavaScript writes them, of which
 * the first 10,000 become `WrittenNumber`. It costs one search where there are none, else a second reading.
 * @param json nested no deeper than `jsonMeasure` has found
 * @throws SyntaxError for what is no JSON
 */
export function parseWritten(json: string): unknown {
  const parsed: unknown = JSON.parse(json);
  if (!mayHoldWritten.test(json)) return parsed;
  // Drawn after the text has come, so that no string of it can begin with it; short, for it stands before every number.
  const mark = randomBytes(9).toString('base64');
  const marked = withMarkedNumbers(json, mark);
  if (marked === json) return parsed;
  return unmarked(JSON.parse(marked), mark);
}

/**
 * A parsed value whose strings that begin with `mark` are numbers as they were written. A reviver takes eight times as
 * long.
 */
function unmarked(value: unknown, mark: string): unknown {
  if (typeof value === 'string') return value.startsWith(mark) ? new WrittenNumber(value.slice(mark.length)) : value;
  if (typeof value !== 'object' || value === null) return value;
  const holder = value as Record<string, unknown>;
  // Pairs of a long array would take longer than its parsing.
  for (const key in holder) {
    const inner = holder[key];
    if (typeof inner === 'object' || typeof inner === 'string') holder[key] = unmarked(inner, mark);
  }
  return value;
}

/** JSON in which numbers that are written otherwise than JavaScript writes them are strings that begin with `mark`. */
function withMarkedNumbers(json: string, mark: string): string {
  const parts: string[] = [];
  let copied = 0;
  quoteOrNumber.lastIndex = 0;
  for (
    let found = quoteOrNumber.exec(json);
    found !== null && parts.length < 2 * maxWritten;
    found = quoteOrNumber.exec(json)
  ) {
    const [token] = found;
    if (token === '"') {
      let end = json.indexOf('"', found.index + 1);
      while (isEscaped(json, end)) end = json.indexOf('"', end + 1);
      quoteOrNumber.lastIndex = end + 1;
    } else if (String(Number(token)) !== token) {
      parts.push(json.slice(copied, found.index), `"${mark}${token}"`);
      copied = quoteOrNumber.lastIndex;
    }
  }
  return copied === 0 ? json : parts.join('') + json.slice(copied);
}

/** Whether the quote there belongs to its string. */
function isEscaped(json: string, at: number): boolean {
  let before = at - 1;
  while (json[before] === '\\') before -= 1;
  return (at - before) % 2 === 0;
}
