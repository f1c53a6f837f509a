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

/** Keys of another form than Jira's own are not looked for in texts. */
const hasOwnKeys = ({ slug, values }: IntegrationRow): boolean =>
  slug === 'jira' && [values.jira_issue_regex, values.jira_issue_prefix].some((value) => (value ?? '') !== '');

/**
 * The tracker that texts of a project name issues of: of several active ones the first that was set up.
 * @param hasIssues the project has issues of its own
 */
export function trackerOf(active: readonly Effective[], hasIssues: boolean): ExternalTracker | undefined {
  const [first] = active
    .map(({ source }) => source)
    .filter((source) => trackerSlugs.includes(source.slug) && addressOf(source) !== '' && !hasOwnKeys(source))
    .sort((one, other) => one.id - other.id);
  return first && { slug: first.slug, issuesUrl: addressOf(first), ownsNumbers: !hasIssues };
}
