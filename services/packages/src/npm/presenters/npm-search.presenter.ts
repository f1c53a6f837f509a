import { scopeOf } from '../domain/npm-names';
import type { NpmFound } from '../domain/place';

const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];

/** People who maintain a package, as `npm search` shows them. */
const people = (value: unknown): { username: string; email: string }[] =>
  (Array.isArray(value) ? value : [])
    .filter((one): one is Record<string, unknown> => typeof one === 'object' && one !== null)
    .map(({ name, username, email }) => ({ username: text(username) || text(name), email: text(email) }));

/**
 * The reply of a search, as npm reads it. Scores do not tell packages apart: they are found by their names. Its time is that of the
 * newest version in it, so that it stays the same where nothing has changed (ETag).
 */
export const presentSearch = (found: readonly NpmFound[], total: number) => ({
  objects: found.map(({ name, version, publishedAt, manifest }) => ({
    package: {
      name,
      scope: scopeOf(name) ?? 'unscoped',
      version,
      description: text(manifest.description),
      keywords: texts(manifest.keywords),
      date: publishedAt.toISOString(),
      links: {},
      maintainers: people(manifest.maintainers),
    },
    score: { final: 1, detail: { quality: 1, popularity: 1, maintenance: 1 } },
    searchScore: 1,
  })),
  total,
  time: new Date(Math.max(0, ...found.map(({ publishedAt }) => publishedAt.getTime()))).toISOString(),
});
