import type { ErrorBody } from '@switchyard/errors';

/** Bytes kept for what is said of the rest. */
const remark = 48;

/** Bytes below which nothing of a field is worth telling. */
const leastRoom = 4 * remark;

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value) ?? '');

/** The body when its JSON has at most `most` bytes; otherwise as much of its texts, lists and fields as fit, each that is cut saying by how much. */
export const boundedBody = (body: ErrorBody, most: number): ErrorBody => bounded(body, most) as ErrorBody;

function bounded(value: unknown, room: number): unknown {
  if (bytesOf(value) <= room) return value;
  if (typeof value === 'string') return boundedText(value, room);
  if (Array.isArray(value)) return boundedList(value, room);
  return typeof value === 'object' && value !== null ? boundedFields(value as ErrorBody, room) : value;
}

function boundedText(text: string, room: number): string {
  let left = room - remark;
  let end = 0;
  let more = 0;
  for (const character of text) {
    left -= bytesOf(character) - 2;
    if (left >= 0) end += character.length;
    else more += 1;
  }
  return `${text.slice(0, end)} … and ${more} more characters`;
}

function boundedList(list: readonly unknown[], room: number): unknown[] {
  const kept: unknown[] = [];
  let left = room - remark;
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

function boundedFields(fields: ErrorBody, room: number): ErrorBody {
  const kept: ErrorBody = {};
  const names = Object.keys(fields);
  let told = 0;
  let left = room - remark;
  for (const name of names) {
    left -= bytesOf(name) + 2;
    if (left < Math.min(leastRoom, bytesOf(fields[name]))) break;
    kept[name] = bounded(fields[name], left);
    left -= bytesOf(kept[name]);
    told += 1;
  }
  return told === names.length ? kept : { ...kept, base: [`and ${names.length - told} more`] };
}
