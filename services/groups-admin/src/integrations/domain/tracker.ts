import { type ExternalTracker, trackerSlugs } from '@switchyard/texts';
import type { Effective, IntegrationRow } from './integration';

/** Where the address of an issue comes from: a setting, and what follows it where it is no pattern by itself. */
const addresses: Readonly<Record<string, readonly [setting: string, rest: string]>> = {
  jira: ['url', '/browse/:id'],
  linear: ['workspace_url', '/issue/:id'],
};

function addressOf({ slug, values }: IntegrationRow): string {
  const [setting, rest] = addresses[slug] ?? ['issues_url', ''];
  const value = values[setting];
  return typeof value !== 'string' || value === '' ? '' : `${rest === '' ? value : value.replace(/\/+$/, '')}${rest}`;
}

/** A tracker with the form of its keys, where it is another than that of its kind. */
export interface Tracker extends ExternalTracker {
  /** What a whole key has to match, as `parseExpression` reads it; empty: as the kind has it. */
  readonly keyExpression: string;
  /** What stands before each key; empty for nothing. */
  readonly keyPrefix: string;
}

/** A setting of Jira; empty for other kinds. */
const ofJira = ({ slug, values }: IntegrationRow, name: string): string =>
  slug === 'jira' && typeof values[name] === 'string' ? values[name] : '';

/**
 * The tracker that texts of a project name issues of: of several active ones the first that was set up.
 * @param hasIssues the project has issues of its own
 */
export function trackerOf(active: readonly Effective[], hasIssues: boolean): Tracker | undefined {
  const [first] = active
    .map(({ source }) => source)
    .filter((source) => trackerSlugs.includes(source.slug) && addressOf(source) !== '')
    .sort((one, other) => one.id - other.id);
  return (
    first && {
      slug: first.slug,
      issuesUrl: addressOf(first),
      ownsNumbers: !hasIssues,
      keyExpression: ofJira(first, 'jira_issue_regex'),
      keyPrefix: ofJira(first, 'jira_issue_prefix'),
    }
  );
}
