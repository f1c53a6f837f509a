import { isIP } from 'node:net';
import { isPaid } from './tier';

/** Most ranges of a group: the gateway compares the address of each request with them. */
const maxRanges = 500;
/** Wrong ranges that one refusal names. */
const namedProblems = 10;

/** The addresses and ranges of a list; blanks and repetitions do not count. */
const rangesOf = (list: string): string[] => [
  ...new Set(
    list
      .split(',')
      .map((range) => range.trim())
      .filter((range) => range !== ''),
  ),
];

const longestPrefix: Readonly<Record<number, number>> = { 4: 32, 6: 128 };

/** Whether a text is an IPv4 or IPv6 address, or a range of them in CIDR notation. */
function isRange(text: string): boolean {
  const [, address = '', prefix] = /^([0-9A-Fa-f.:]+)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const longest = longestPrefix[isIP(address)];
  return longest !== undefined && Number(prefix ?? 0) <= longest;
}

/** What is wrong with a list of address ranges (`ip_restriction_ranges`, G-4.15-6); null for none. */
export function rangeProblems(list: string | null | undefined): string[] {
  const ranges = rangesOf(list ?? '');
  if (ranges.length > maxRanges) return [`is too long (maximum is ${maxRanges} ranges)`];
  return ranges
    .filter((range) => !isRange(range))
    .slice(0, namedProblems)
    .map((range) => `${range.slice(0, 50)} is an invalid IP address range`);
}

/**
 * From where a top-level group and what lies below it may be reached; undefined for everywhere, as for administrators.
 * @param tier of the instance
 */
export const rangesFor = (
  group: { readonly ip_ranges: string | null; readonly tier: string | null },
  viewer: { readonly admin: boolean },
  tier: string,
): string[] | undefined =>
  group.ip_ranges === null || viewer.admin || !isPaid(group, tier) ? undefined : group.ip_ranges.split(',');

/** The list as it is stored: without blanks and repetitions; null for an empty one. */
export const writtenRanges = (list: string): string | null => rangesOf(list).join(',') || null;
