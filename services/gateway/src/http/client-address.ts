import { isIPv6 } from 'node:net';

/** IPv4 addresses as IPv6 sockets show them. */
const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i;

/**
 * The name under which callers of an address are counted: an IPv4 address itself, of IPv6 the /64 that it lies in. A
 * single customer has at least a /64 and can take a new address of it for every request.
 */
export function addressKey(ip: string | undefined): string {
  if (ip === undefined) return '';
  const v4 = mapped.exec(ip)?.[1];
  if (v4 !== undefined) return v4;
  if (!isIPv6(ip)) return ip;
  const [address = ''] = ip.split('%', 1);
  const [left = [], right = []] = address.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const omitted = address.includes('::') ? 8 - left.length - right.length - (address.includes('.') ? 1 : 0) : 0;
  const groups = [...left, ...Array<string>(omitted).fill('0'), ...right].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}
