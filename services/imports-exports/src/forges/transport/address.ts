import type { Outbound } from '@switchyard/outbound';

/** Characters of an address. */
const maxLength = 2_048;

/** An address with its scheme, and without slashes at the end. */
export function wholeAddress(given: string): string {
  const address = /^https?:\/\//i.test(given) ? given : `https://${given}`;
  let end = address.length;
  // A pattern would look at each of many slashes again.
  while (address.charAt(end - 1) === '/') end -= 1;
  return address.slice(0, end);
}

/**
 * What is wrong with the address of a forge; undefined for nothing. It is kept and shown as it is, so it holds no
 * credentials, and paths are put after it, so it has neither query nor fragment.
 */
export function addressProblem(
  outbound: Outbound,
  given: string,
  hostOf: (address: string) => { readonly api: string },
): string | undefined {
  if (given.length > maxLength) return `It has more than ${maxLength} characters`;
  return /[?#@]/.test(given) ? 'It has more than a host and a path' : outbound.problemOf(hostOf(given).api);
}
