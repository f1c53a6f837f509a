import { BlockList, isIPv6 } from 'node:net';

/** IPv4 and IPv6 addresses and CIDR ranges, ready to be compared with; 500 ranges take some milliseconds. */
export function addressRanges(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = '', prefix] = range.split('/');
    const family = isIPv6(address) ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return list;
}

/** Whether an address lies in one of the ranges; an IPv4 address counts in the form of IPv6 sockets as well. */
export function isWithin(ip: string | undefined, ranges: BlockList): boolean {
  const [address = ''] = (ip ?? '').split('%', 1);
  return address !== '' && ranges.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
