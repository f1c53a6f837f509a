/** Range of timestamps: Go writes "never" as year 1. */
const minTimestamp = Date.UTC(1970, 0, 1);
const maxTimestamp = Date.UTC(9999, 11, 31);

/** Characters of a text that is parsed. */
const maxTextLength = 100;

const zone = 'Z|z|GMT|UTC?|(?:GMT|UTC)?[+-]\\d{2}(?::?\\d{2})?';

/** ISO 8601, extended or basic, and similar forms; Go adds the name of the zone and the uptime of its process. */
const isoForm = new RegExp(
  '^(?<year>\\d{4})(?<dash>[-/]?)(?<month>\\d{2})\\k<dash>(?<day>\\d{2})' +
    '(?:[Tt ](?<hour>\\d{2})(?<colon>:?)(?<minute>\\d{2})(?:\\k<colon>(?<second>\\d{2})(?:[.,](?<fraction>\\d{1,9}))?)?)?' +
    ` ?(?<zone>${zone})?(?: [A-Z]{1,5})?(?: m=[+-][\\d.]+)?$`,
);

const namedTime = ` +(?<hour>\\d{2}):(?<minute>\\d{2})(?::(?<second>\\d{2}))? *(?<zone>${zone})(?: \\([^)]*\\))?$`;

/** RFC 2822, and the form of JavaScript's `Date.toString`. */
const namedForms = [
  new RegExp(`^(?:[A-Za-z]{3,9},? +)?(?<day>\\d{1,2})[ -](?<month>[A-Za-z]{3,9})[ -](?<year>\\d{4})${namedTime}`),
  new RegExp(`^(?:[A-Za-z]{3,9},? +)?(?<month>[A-Za-z]{3,9}) +(?<day>\\d{1,2}),? +(?<year>\\d{4})${namedTime}`),
];

const monthNames = [
  ...['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august', 'september', 'october', 'november'],
  'december',
];

/** The smallest number read as milliseconds since 1970 (a time in 1973); smaller ones are seconds. */
const minMilliseconds = 1e11;

/**
 * A timestamp: ISO 8601 (UTC without a zone, fractions cut at milliseconds), RFC 2822 with a zone, milliseconds or
 * seconds since 1970 (G-4.12-10). Undefined for anything else and outside 1970 to 9999: Go writes "never" as year 1.
 */
export function parseTimestamp(value: unknown): Date | undefined {
  const milliseconds =
    typeof value === 'number' ? ofNumber(value) : typeof value === 'string' ? ofText(value.trim()) : Number.NaN;
  return milliseconds >= minTimestamp && milliseconds <= maxTimestamp ? new Date(Math.trunc(milliseconds)) : undefined;
}

const ofNumber = (value: number): number => (value < minMilliseconds ? value * 1_000 : value);

function ofText(text: string): number {
  if (text.length > maxTextLength) return Number.NaN;
  if (/^\d{9,14}(?:\.\d{1,9})?$/.test(text)) return ofNumber(Number(text));
  for (const form of [isoForm, ...namedForms]) {
    const { groups } = form.exec(text) ?? {};
    if (groups !== undefined) return ofParts(groups);
  }
  return Number.NaN;
}

function ofParts(parts: Readonly<Record<string, string | undefined>>): number {
  const {
    year = '',
    month = '',
    day = '',
    hour = '00',
    minute = '00',
    second = '00',
    fraction = '',
    zone = '',
  } = parts;
  const monthNumber = monthOf(month);
  // JavaScript reads 30 February as a day of March.
  if (new Date(Date.UTC(Number(year), monthNumber - 1, Number(day))).getUTCDate() !== Number(day)) return Number.NaN;
  const date = [year, String(monthNumber).padStart(2, '0'), day.padStart(2, '0')].join('-');
  // JavaScript has no leap seconds: second 60 becomes 59.
  const wholeSecond = second === '60' ? '59' : second;
  return Date.parse(`${date}T${hour}:${minute}:${wholeSecond}.${fraction.padEnd(3, '0').slice(0, 3)}${offsetOf(zone)}`);
}

/** Number of a month by its digits, its English name or the first three letters of it; 0 for an unknown name. */
function monthOf(text: string): number {
  if (/^\d/.test(text)) return Number(text);
  const name = text.toLowerCase();
  return monthNames.findIndex((one) => one === name || one.slice(0, 3) === name) + 1;
}

function offsetOf(zone: string): string {
  const [, hours, minutes = '00'] = /([+-]\d{2}):?(\d{2})?$/.exec(zone) ?? [];
  return hours === undefined ? 'Z' : `${hours}:${minutes}`;
}
