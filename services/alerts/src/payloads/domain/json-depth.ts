const quote = 0x22;
const backslash = 0x5c;
const openingBrace = 0x7b;
const openingBracket = 0x5b;
const closingBrace = 0x7d;
const closingBracket = 0x5d;

/**
 * True when JSON nests deeper than `limit` (G-8-3). It looks at the bytes and never recurses, so that it may be asked before the parser
 * sees them; what is no JSON at all may get either answer.
 */
export function nestsDeeperThan(limit: number, json: Uint8Array): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    switch (json[at]) {
      case quote:
        at = endOfString(json, at + 1);
        break;
      case openingBrace:
      case openingBracket:
        depth += 1;
        if (depth > limit) return true;
        break;
      case closingBrace:
      case closingBracket:
        depth -= 1;
        break;
    }
  }
  return false;
}

/** Where the string that begins at `from` has its closing quote; the end when it has none. */
function endOfString(json: Uint8Array, from: number): number {
  for (let at = from; at < json.length; at += 1) {
    if (json[at] === quote) return at;
    if (json[at] === backslash) at += 1;
  }
  return json.length;
}
