import { createHash } from 'node:crypto';
import type { ServedPackage } from '../domain/packument';

/** The state of a package: it changes with each version that comes or goes, and with each name of one. */
export function revisionOf({ versions, tags }: ServedPackage): string {
  const state = JSON.stringify([versions.map(({ id }) => id), tags.map(({ name, version }) => [name, version])]);
  return `${versions.length}-${createHash('sha1').update(state).digest('hex')}`;
}
