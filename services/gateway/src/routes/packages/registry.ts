import type { Forward } from '../../http/route';

/**
 * Where packages are read: every kind of token, by Basic credentials as well (G-4.17-12), and the scopes that do beside
 * `api` (G-5-4).
 */
export const registryRead = {
  tokens: ['job', 'deploy'],
  scopes: ['read_package_registry', 'write_package_registry'],
} as const;

/** The same for package managers, which send their credentials when they are asked for them. */
export const managerRead = { ...registryRead, challenges: true } as const;

/** Where packages are changed. */
export const registryWrite = { ...registryRead, scopes: ['write_package_registry'] } as const;

/** Where package managers publish. */
export const managerWrite = { ...registryWrite, challenges: true } as const;

/** Forwards to the service packages; the path is made of parts that are written as they were sent. */
export const toPackages = (
  parts: readonly (string | number)[],
  query: Record<string, string | undefined> = {},
): Forward => {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given).toString()}`;
  return { forward: { to: 'packages', path: `/${parts.map((part) => encodeURIComponent(part)).join('/')}${search}` } };
};
