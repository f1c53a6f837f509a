import { lookup } from 'node:dns/promises';
import { isPublic, readAddress } from './addresses';
import type { Allowed } from './allowed';
import { OutboundRefused } from './refused';

/** An address to connect to. */
export interface Resolved {
  readonly address: string;
  readonly family: number;
}

/** Asks for all addresses of a name. */
export type Resolve = (name: string) => Promise<readonly Resolved[]>;

const refused = () => new OutboundRefused('address', 'The address is not allowed: it is local, private or reserved');

/**
 * The system's resolver. Questions for one name under way are asked once: a name server that does not answer holds one
 * of the four threads for it, not all.
 */
export function systemResolve(): Resolve {
  const running = new Map<string, Promise<readonly Resolved[]>>();
  return (name) => {
    const known = running.get(name);
    if (known !== undefined) return known;
    const asked = lookup(name, { all: true, verbatim: true }).finally(() => running.delete(name));
    running.set(name, asked);
    return asked;
  };
}

/** Checks hosts, and finds the addresses to connect to. */
export interface Targets {
  /**
   * The addresses of a host, each of them allowed; to be connected to without resolving again.
   * @throws OutboundRefused address, when one of them is not allowed
   */
  addressesOf(hostname: string, port: number): Promise<readonly Resolved[]>;
  /** Throws as `addressesOf`, for a host that is an address itself, or a name of this machine. */
  requireLiteral(hostname: string, port: number): void;
}

/** Targets as an operator allows them. */
export function openTargets(allowed: Allowed, resolve: Resolve): Targets {
  const mayReach = (text: string, port: number): boolean => {
    const address = readAddress(text);
    return address !== undefined && (isPublic(address) || allowed.address(address, port));
  };
  const isLoopbackAllowed = (port: number): boolean => mayReach('127.0.0.1', port) || mayReach('::1', port);
  const requireLiteral = (hostname: string, port: number): void => {
    const isLocal = /^(.*\.)?localhost\.?$/i.test(hostname) && !allowed.host(hostname, port);
    if ((isLocal && !isLoopbackAllowed(port)) || (readAddress(hostname) !== undefined && !mayReach(hostname, port))) {
      throw refused();
    }
  };
  return {
    requireLiteral,
    async addressesOf(hostname, port) {
      requireLiteral(hostname, port);
      const literal = hostname.replace(/^\[(.*)\]$/, '$1');
      if (readAddress(hostname) !== undefined) return [{ address: literal, family: literal.includes(':') ? 6 : 4 }];
      const found = await resolve(hostname);
      if (found.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
      if (allowed.host(hostname, port)) return found;
      // One address of a name is enough to reach it: with a public one beside it, the other is no less inside.
      if (!found.every(({ address }) => mayReach(address, port))) throw refused();
      return found;
    },
  };
}
