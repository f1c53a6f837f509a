import { invalidParams } from '@switchyard/errors';

/** A part of a JSON object: the value of one of its members, or an element of a member that is an array. */
export interface JsonPart {
  readonly key: string;
  /** Place of an element in its array, from 0; undefined for a whole value. */
  readonly index: number | undefined;
  /** The JSON text of the value. */
  readonly text: string;
}

/** Which members are given out, and how large their parts may be. */
export interface JsonSplitRules {
  /** Members that are given out element by element. */
  readonly lists: ReadonlySet<string>;
  /** Members that are given out whole. Others are passed over. */
  readonly values: ReadonlySet<string>;
  /** Bytes of one part. */
  readonly partBytes: number;
}

/** Levels of brackets below the object. */
const maxDepth = 100;

/** Bytes of the name of a member. */
const maxKeyBytes = 1_000;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;

const byteOrderMark = [0xef, 0xbb, 0xbf];

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const malformed = (reason: string) => invalidParams(`file is not valid JSON: ${reason}`);

type Expected =
  | 'object'
  | 'key or end'
  | 'key'
  | 'colon'
  | 'value'
  | 'next member'
  | 'element or end'
  | 'element'
  | 'next element'
  | 'nothing';

/**
 * Splits the text of a JSON object into parts as it comes; memory depends on the largest part alone. Texts of parts are
 * not parsed: whoever reads one finds out whether it is JSON. Fails with `invalid_params`.
 */
export class JsonSplitter {
  private expected: Expected = 'object';
  private key = '';
  private index = -1;
  private readonly seen = new Set<string>();
  private parts: JsonPart[] = [];

  // The value under way: what it is, how deep, and its bytes in earlier chunks.
  private kind: 'none' | 'string' | 'nested' | 'scalar' = 'none';
  private depth = 0;
  private inString = false;
  private escaped = false;
  private captured: Uint8Array[] = [];
  private capturedBytes = 0;
  private read = 0;

  constructor(private readonly rules: JsonSplitRules) {}

  /** Takes the next bytes and returns the parts that they finish. */
  push(chunk: Uint8Array): JsonPart[] {
    this.parts = [];
    let at = 0;
    // A mark of byte order may come first.
    while (at < chunk.length && chunk[at] === byteOrderMark[this.read + at]) at += 1;
    this.read += chunk.length;
    while (at < chunk.length) at = this.kind === 'none' ? this.between(chunk, at) : this.within(chunk, at);
    return this.parts;
  }

  /** Says that no bytes follow. */
  end(): void {
    if (this.expected !== 'nothing') throw malformed(this.read === 0 ? 'it is empty' : 'it ends too early');
  }

  private between(chunk: Uint8Array, at: number): number {
    const byte = chunk[at] as number;
    if (isBlank(byte)) return at + 1;
    switch (this.expected) {
      case 'object':
        if (byte !== openBrace) throw malformed('it is no object');
        this.expected = 'key or end';
        return at + 1;
      case 'key or end':
        if (byte === closeBrace) return this.after('nothing', at);
        return this.begin(byte, at, true);
      case 'key':
        return this.begin(byte, at, true);
      case 'colon':
        if (byte !== colon) throw malformed('a colon is missing');
        return this.after('value', at);
      case 'value':
        if (byte === openBracket && this.rules.lists.has(this.key)) {
          this.index = 0;
          return this.after('element or end', at);
        }
        return this.begin(byte, at, false);
      case 'next member':
        if (byte === comma) return this.after('key', at);
        if (byte === closeBrace) return this.after('nothing', at);
        throw malformed('a comma is missing');
      case 'element or end':
        if (byte !== closeBracket) return this.begin(byte, at, false);
        this.index = -1;
        return this.after('next member', at);
      case 'element':
        return this.begin(byte, at, false);
      case 'next element':
        if (byte === comma) return this.after('element', at);
        if (byte !== closeBracket) throw malformed('a comma is missing');
        this.index = -1;
        return this.after('next member', at);
      default:
        throw malformed('something follows it');
    }
  }

  private after(expected: Expected, at: number): number {
    this.expected = expected;
    return at + 1;
  }

  private begin(byte: number, at: number, isKey: boolean): number {
    if (isKey && byte !== quote) throw malformed('the name of a member is missing');
    if (byte === comma || byte === colon || byte === closeBrace || byte === closeBracket)
      throw malformed('a value is missing');
    this.captured = [];
    this.capturedBytes = 0;
    this.depth = 0;
    this.inString = false;
    this.escaped = false;
    this.kind = byte === quote ? 'string' : byte === openBrace || byte === openBracket ? 'nested' : 'scalar';
    return at;
  }

  private within(chunk: Uint8Array, from: number): number {
    let at = from;
    let isDone = false;
    while (at < chunk.length && !isDone) {
      const byte = chunk[at] as number;
      if (this.inString) {
        if (this.escaped) this.escaped = false;
        else if (byte === backslash) this.escaped = true;
        else if (byte === quote) {
          this.inString = false;
          isDone = this.kind === 'string';
        }
      } else if (this.kind === 'scalar') {
        if (isBlank(byte) || byte === comma || byte === closeBrace || byte === closeBracket) {
          this.finish(chunk.subarray(from, at));
          return at;
        }
      } else if (byte === quote) this.inString = true;
      else if (byte === openBrace || byte === openBracket) {
        this.depth += 1;
        if (this.depth > maxDepth) throw malformed('it is nested too deeply');
      } else if (byte === closeBrace || byte === closeBracket) {
        this.depth -= 1;
        isDone = this.depth === 0;
      }
      at += 1;
    }
    if (isDone) this.finish(chunk.subarray(from, at));
    else this.capture(chunk.subarray(from, at));
    return at;
  }

  private isKey(): boolean {
    return this.expected === 'key' || this.expected === 'key or end';
  }

  private capture(bytes: Uint8Array): void {
    if (!this.isKey() && this.index < 0 && !this.rules.values.has(this.key)) return;
    this.capturedBytes += bytes.length;
    const most = this.isKey() ? maxKeyBytes : this.rules.partBytes;
    if (this.capturedBytes > most) throw invalidParams(`file has a value of more than ${most} bytes`);
    // A copy: the sender of the chunk may use its memory again.
    this.captured.push(Uint8Array.from(bytes));
  }

  private finish(bytes: Uint8Array): void {
    this.kind = 'none';
    const isKey = this.isKey();
    const isWanted = isKey || this.index >= 0 || this.rules.values.has(this.key);
    if (isWanted && this.capturedBytes + bytes.length > (isKey ? maxKeyBytes : this.rules.partBytes))
      this.capture(bytes);
    const whole = this.captured.length === 0 ? bytes : Buffer.concat([...this.captured, bytes]);
    const text = isWanted ? Buffer.from(whole.buffer, whole.byteOffset, whole.length).toString('utf8') : '';
    this.captured = [];
    if (isKey) {
      this.name(text);
      return;
    }
    if (isWanted) this.parts.push({ key: this.key, index: this.index < 0 ? undefined : this.index, text });
    if (this.index < 0) this.expected = 'next member';
    else {
      this.index += 1;
      this.expected = 'next element';
    }
  }

  private name(text: string): void {
    const key = parseJson(text);
    if (typeof key !== 'string') throw malformed('the name of a member is wrong');
    this.key = key;
    // The last of two would win in one reader and the first in another.
    if (this.seen.has(this.key)) throw malformed('a member is there twice');
    if (this.seen.size >= 1_000) throw malformed('it has too many members');
    this.seen.add(this.key);
    this.expected = 'colon';
  }
}

/** The value of the text of a part; undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
