import { trackerLinks, trackerSlugs } from './tracker-references';

const find = (slug: string, text: string, ownsNumbers = false): string[] =>
  trackerLinks({ slug, issuesUrl: 'https://t.example/:id', ownsNumbers })!(text).map(
    ({ start, end, url }) => `${text.slice(start, end)} ${url.slice('https://t.example/'.length)}`,
  );

it.each<[string, string, string[]]>([
  ['redmine', 'Fixes PROJ-12, API_32-143 and (X-1)', ['PROJ-12 12', 'API_32-143 143', 'X-1 1']],
  ['redmine', '#12 proj-12 PROJ-12a aPROJ-3 UTF', []],
  ['bugzilla', 'BUG-7', ['BUG-7 7']],
  ['custom-issue-tracker', 'EXTERNAL-5', ['EXTERNAL-5 5']],
  ['youtrack', 'YT-101 and Gl2-5', ['YT-101 YT-101', 'Gl2-5 Gl2-5']],
  ['ewm', 'Bug 3, task  44, work item 5, debug 6, bug 7x', ['Bug 3 3', 'task  44 44', 'work item 5 5']],
  ['clickup', 'CU-86abc, AB_C-12 and #9', ['CU-86abc 86abc', 'AB_C-12 AB_C-12']],
  ['phorge', 'T123, xT1 and T1x', ['T123 T123']],
  ['jira', 'ABC-1 abc-2', ['ABC-1 ABC-1']],
  ['linear', 'ENG-9', ['ENG-9 ENG-9']],
])('%s: what %j names', (slug, text, expected) => expect(find(slug, text)).toEqual(expected));

it.each<[string, string, string[]]>([
  ['redmine', '#12, (#3), a#4, ##5, group/project#6 &#39; A-7', ['#12 12', '#3 3', 'A-7 7']],
  ['youtrack', '#12 and YT-1', ['#12 12', 'YT-1 YT-1']],
  ['clickup', '#86abc', ['#86abc 86abc']],
  ['phorge', '#12', []],
])('%s: where the project has no issues of its own, %j', (slug, text, expected) =>
  expect(find(slug, text, true)).toEqual(expected),
);

it('an address may have its id several times, or not at all', () => {
  const url = (issuesUrl: string) => trackerLinks({ slug: 'phorge', issuesUrl, ownsNumbers: false })!('T1')[0]?.url;
  expect(url('https://t.example/:id?q=:id&c=$&')).toBe('https://t.example/T1?q=T1&c=$&');
  expect(url('https://t.example/')).toBe('https://t.example/');
});

it('no other kind has references', () => {
  for (const slug of ['slack', 'constructor', 'confluence'])
    expect(trackerLinks({ slug, issuesUrl: '', ownsNumbers: true })).toBeUndefined();
});

it.each(trackerSlugs)('%s: a crafted text takes linear time', (slug) => {
  for (const part of ['A', 'A-', '#', 'bug ', 'work item   ', 'CU-', 'A_', '1', 'T']) {
    const began = performance.now();
    find(slug, part.repeat(32_768 / part.length), true);
    expect(performance.now() - began).toBeLessThan(1_000);
  }
});
