import type ipaddr from 'ipaddr.js';
import { type Address, readAddress } from './addresses';

/** What an operator allows beside public addresses. */
export interface Allowed {
  /** Whether a name, as the address of a request has it, is allowed on this port whatever it resolves to. */
  host(name: string, port: number): boolean;
  /** Whether an address is allowed on this port. */
  address(address: Address, port: number): boolean;
}

interface Rule {
  readonly port: number | undefined;
  readonly name?: string;
  readonly range?: readonly [Address, number];
}

const name = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,62}[a-z0-9])?(\.[a-z0-9_]([a-z0-9_-]{0,62}[a-z0-9])?)*\.?$/;

function readRange(text: string): readonly [Address, number] | undefined {
  const [start = '', bits, ...more] = text.split('/');
  const address = readAddress(start);
  if (address === undefined || more.length > 0) return undefined;
  const width = address.kind() === 'ipv4' ? 32 : 128;
  if (bits === undefined) return [address, width];
  // A range of IPv4-mapped addresses would be read as one of IPv4 with the bits of IPv6.
  if (start.includes(':') !== (width === 128)) return undefined;
  return /^\d{1,3}$/.test(bits) && Number(bits) <= width ? [address, Number(bits)] : undefined;
}

function readRule(text: string): Rule | undefined {
  const range = readRange(text);
  if (range !== undefined) return { range, port: undefined };
  const [, start = '', digits = ''] = /^(.*?)(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = digits === '' ? undefined : Number(digits);
  if (port !== undefined && (port < 1 || port > 65_535)) return undefined;
  if (start.includes(':') && !start.startsWith('[')) return undefined;
  const address = readRange(start);
  if (address !== undefined) return start.includes('/') ? undefined : { range: address, port };
  // A name of digits alone is an address that was written wrongly.
  return name.test(start) && !/^[\d.]+$/.test(start) ? { name: start.replace(/\.$/, ''), port } : undefined;
}

/**
 * Reads the list of an operator: names, `name:port`, addresses, `address:port` (IPv6 in brackets) and ranges such as
 * `10.0.0.0/8`, separated by commas.
 * @throws Error that names the first entry that is none of these
 */
export function parseAllowed(list: string): Allowed {
  const rules = list.split(',').flatMap((entry) => {
    const text = entry.trim().toLowerCase();
    if (text === '') return [];
    const rule = readRule(text);
    if (rule === undefined) throw new Error(`${entry.trim()} is no host, host:port, address or range`);
    return [rule];
  });
  const fits = (rule: Rule, port: number): boolean => rule.port === undefined || rule.port === port;
  return {
    host(given, port) {
      const wanted = given.toLowerCase().replace(/\.$/, '');
      return rules.some((rule) => rule.name === wanted && fits(rule, port));
    },
    address: (address, port) =>
      rules.some(
        ({ range, ...rule }) =>
          range !== undefined &&
          fits(rule, port) &&
          range[0].kind() === address.kind() &&
          address.match(range[0] as ipaddr.IPv4 & ipaddr.IPv6, range[1]),
      ),
  };
}
