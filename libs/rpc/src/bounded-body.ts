import type { ErrorBody } from '@switchyard/errors';

/** Bytes reserved for the note about what is left out. */
const noteBytes = 48;

/** A field is left out when fewer bytes are free. */
const minFreeBytes = 4 * noteBytes;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/**
 * The body when its JSON has at most `maxBytes`; otherwise the texts, lists and fields that fit, with a note where one
 * is cut.
 */
export const boundedBody = (body: ErrorBody, maxBytes: number): ErrorBody => bounded(body, maxBytes) as ErrorBody;

function bounded(value: unknown, freeBytes: number): unknown {
  if (bytesOf(value) <= freeBytes) return value;
  if (typeof value === 'string') return boundedText(value, freeBytes);
  if (Array.isArray(value)) return boundedList(value, freeBytes);
  return typeof value === 'object' && value !== null ? boundedFields(value as ErrorBody, freeBytes) : value;
}

function boundedText(text: string, freeBytes: number): string {
  let left = freeBytes - noteBytes;
  let end = 0;
  let more = 0;
  for (const character of text) {
    left -= bytesOf(character) - 2;
    if (left >= 0) end += character.length;
    else more += 1;
  }
  return `${text.slice(0, end)} … and ${more} more characters`;
}

function boundedList(list: readonly unknown[], freeBytes: number): unknown[] {
  const kept: unknown[] = [];
  let left = freeBytes - noteBytes;
  for (const item of list) {
    const size = bytesOf(item) + 1;
    if (size > left) break;
    kept.push(item);
    left -= size;
  }
  if (kept.length === 0) kept.push(bounded(list[0], left));
  const more = list.length - kept.length;
  return more === 0 ? kept : [...kept, `and ${more} more`];
}

function boundedFields(fields: ErrorBody, freeBytes: number): ErrorBody {
  const kept: ErrorBody = {};
  const names = Object.keys(fields);
  let keptCount = 0;
  let left = freeBytes - noteBytes;
  for (const name of names) {
    left -= bytesOf(name) + 2;
    if (left < Math.min(minFreeBytes, bytesOf(fields[name]))) break;
    kept[name] = bounded(fields[name], left);
    left -= bytesOf(kept[name]);
    keptCount += 1;
  }
  return keptCount === names.length ? kept : { ...kept, base: [`and ${names.length - keptCount} more`] };
}
