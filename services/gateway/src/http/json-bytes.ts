const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const backslash = 0x5c;
const opening = new Set([0x7b, 0x5b]);
const closing = new Set([0x7d, 0x5d]);

/** Whether JSON nests deeper than `most`, told from its bytes before a parser sees them; what is no JSON may get either answer. */
export function isTooDeep(json: Buffer, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const byte = json[at] as number;
    if (byte === quote) {
      at = endOfString(json, at + 1);
      if (at === -1) return false;
    } else if (opening.has(byte)) {
      depth += 1;
      if (depth > most) return true;
    } else if (closing.has(byte)) depth -= 1;
  }
  return false;
}

/**
 * The members of an object as they are written, by their names: what a parser makes of them has lost digits, and members that come twice.
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
