import type { NotificationEvent, Subject } from './notification-event';

/** What mails about one thing have in common. Digests gather everything. */
export const digestThread = 'digest';

/** Digits of a ref in the name of its thread: a Message-ID has to fit into a line. */
const maxRefDigits = 200;

/** The conversation that an event belongs to: its subject, and of pipelines their branch. */
export const threadOf = ({ subject, facts }: Pick<NotificationEvent, 'subject' | 'facts'>): string =>
  subject.type === 'Pipeline'
    ? `Pipeline:${subject.projectId}:${Buffer.from(facts.ref ?? '')
        .toString('hex')
        .slice(0, maxRefDigits)}`
    : `${subject.type}:${subject.id}`;

/** The part before the `@` of the Message-ID that all mails of a thread refer to: the same for every recipient. */
export const rootOf = (thread: string): string => thread.toLowerCase().replaceAll(':', '.');

/** True for the event that begins its thread: its mail is the one that the others answer. */
export const beginsThread = ({ action }: Pick<NotificationEvent, 'action'>): boolean =>
  action === 'new_issue' || action === 'new_merge_request' || action === 'new_epic';

/** Address of a subject. @param placeUrl address of its project or group */
export function urlOf({ type, id, iid }: Subject, placeUrl: string, sha = ''): string {
  switch (type) {
    case 'Issue':
      return `${placeUrl}/-/issues/${iid}`;
    case 'MergeRequest':
      return `${placeUrl}/-/merge_requests/${iid}`;
    case 'Commit':
      return `${placeUrl}/-/commit/${sha}`;
    case 'Snippet':
      return `${placeUrl}/-/snippets/${id}`;
    case 'Pipeline':
      return `${placeUrl}/-/pipelines/${id}`;
    case 'Project':
      return placeUrl;
    case 'Epic':
      return `${placeUrl}/-/epics/${iid}`;
  }
}

/** How texts name a subject in its project or group. */
export function referenceOf({ type, id, iid }: Subject, sha = ''): string {
  switch (type) {
    case 'Issue':
      return `#${iid}`;
    case 'MergeRequest':
      return `!${iid}`;
    case 'Commit':
      return sha.slice(0, 8);
    case 'Snippet':
      return `$${id}`;
    case 'Pipeline':
      return `#${id}`;
    case 'Project':
      return '';
    case 'Epic':
      return `&${iid}`;
  }
}

/** Characters of the name of a list (RFC 2919), and of the header with it (`headerLine`). */
const maxListName = 200;
const maxListHeader = 250;

/**
 * `List-Id` of a project or group: mail clients sort by it (RFC 2919). Where its path does not fit, its id names it.
 * @param place.path full path of it
 */
export function listIdOf(
  { kind, id, path }: { readonly kind: 'Project' | 'Group'; readonly id: number; readonly path: string },
  domain: string,
): string {
  const labels = path
    .split('/')
    .reverse()
    .map((part) => part.toLowerCase().replace(/[^a-z0-9-]+/g, '-'));
  const byPath = [id, ...labels, domain].join('.');
  const name = byPath.length <= maxListName ? byPath : [id, kind.toLowerCase(), domain].join('.');
  const whole = `${path} <${name}>`;
  return whole.length <= maxListHeader ? whole : `<${name}>`;
}
