import { networkInterfaces } from 'node:os';
import ipaddr from 'ipaddr.js';

/** An IPv4 or IPv6 address. */
export type Address = ipaddr.IPv4 | ipaddr.IPv6;

const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
const nat64 = ipaddr.IPv6.parseCIDR('64:ff9b::/96');
/** Azure's metadata host, which lies in a public range; those of other clouds lie in ranges that are not public. */
const metadataHost = '168.63.129.16';

/**
 * The address that a packet reaches: IPv4-mapped addresses and those of NAT64 stand for the IPv4 address in them.
 * @returns undefined for what is no address; a zone (`%eth0`) makes it none
 */
export function readAddress(text: string): Address | undefined {
  const plain = text.replace(/^\[(.*)\]$/, '$1');
  if (plain.includes('%') || !(ipaddr.IPv4.isValidFourPartDecimal(plain) || ipaddr.IPv6.isValid(plain))) {
    return undefined;
  }
  const address = ipaddr.process(plain);
  return address instanceof ipaddr.IPv6 && address.match(nat64)
    ? ipaddr.fromByteArray(address.toByteArray().slice(-4))
    : address;
}

const isOwn = (address: Address): boolean => {
  const text = address.toString();
  return Object.values(networkInterfaces()).some((own) =>
    own?.some((one) => readAddress(one.address.replace(/%.*$/, ''))?.toString() === text),
  );
};

/**
 * Whether an address belongs to the public internet, and not to this machine: neither private, loopback, link-local,
 * shared, reserved, multicast, a metadata host, nor a form that hides one of these in an IPv6 address.
 */
export const isPublic = (address: Address): boolean =>
  address.range() === 'unicast' &&
  (address instanceof ipaddr.IPv4 || address.match(globalUnicast)) &&
  address.toString() !== metadataHost &&
  !isOwn(address);
