import type { Tracker } from '@switchyard/protos/groups_admin/v1/integration';
import { trackerLinksOf } from './tracker-links';

const linksIn = async (given: Partial<Tracker>, text: string) => {
  const jira = { projectId: 7, slug: 'jira', issuesUrl: 'https://j.example/browse/:id', ownsNumbers: false };
  const trackers = [{ ...jira, keyExpression: '', keyPrefix: '', ...given }];
  const find = await trackerLinksOf({ client: () => ({ listTrackers: async () => ({ trackers }) }) } as never)([7]);
  return find
    .get(7)?.(text)
    .map(({ start, end, url }) => [text.slice(start, end), url.replace(/.*browse./, '')]);
};

test.each<[string, Partial<Tracker>, string, string[][] | undefined]>([
  ['keys as Jira makes them', {}, 'ABC-1 abc-2', [['ABC-1', 'ABC-1']]],
  ['keys of an expression', { keyExpression: '[a-z]+/\\d+' }, 'ABC-1 abc/2', [['abc/2', 'abc%2F2']]],
  ['keys behind a prefix', { keyPrefix: 'JIRA#' }, 'ABC-1 JIRA#ABC-2', [['JIRA#ABC-2', 'ABC-2']]],
  ['an expression that is none any more', { keyExpression: '(' }, 'ABC-1', undefined],
])('%s', async (_, tracker, text, expected) => expect(await linksIn(tracker, text)).toEqual(expected));
