const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const openingBrace = 0x7b;
const openingBracket = 0x5b;
const closingBrace = 0x7d;
const closingBracket = 0x5d;

/** How much a JSON text may hold. */
export interface JsonBounds {
  /** Objects and arrays within each other. */
  readonly depth: number;
  /** Members of all objects together. */
  readonly keys: number;
  /** Values of all objects and arrays together. */
  readonly values: number;
}

/**
 * Measures JSON as its bytes come, before a parser sees them: objects of many different names cost a parser far more than
 * their length, and so do brackets. Takes time in proportion to the bytes, and never recurses.
 * @returns a function that takes the bytes in order, cut anywhere, and names the first bound they pass; bytes that are no
 * JSON may get either answer
 */
export function jsonMeasure(most: JsonBounds): (bytes: Uint8Array) => keyof JsonBounds | undefined {
  let depth = 0;
  let keys = 0;
  let values = 1;
  let isString = false;
  let isEscaped = false;
  return (bytes) => {
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (isString) {
        if (isEscaped) isEscaped = false;
        else if (byte === backslash) isEscaped = true;
        else if (byte === quote) isString = false;
      } else if (byte === quote) isString = true;
      else if (byte === comma) values += 1;
      else if (byte === colon) keys += 1;
      else if (byte === openingBrace || byte === openingBracket) {
        depth += 1;
        values += 1;
        if (depth > most.depth) return 'depth';
      } else if (byte === closingBrace || byte === closingBracket) depth -= 1;
      if (keys > most.keys) return 'keys';
      if (values > most.values) return 'values';
    }
    return undefined;
  };
}

/** True when JSON nests objects and arrays deeper than `limit`; bytes that are no JSON may get either answer. */
export const nestsDeeperThan = (limit: number, json: Uint8Array): boolean =>
  jsonMeasure({ depth: limit, keys: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY })(json) === 'depth';
