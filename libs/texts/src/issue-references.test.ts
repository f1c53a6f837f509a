import { crossReferencesOf, issueReferences } from './issue-references';

const written = (references: readonly { path: string; iid: number }[]): string[] =>
  references.map(({ path, iid }) => `${path}#${iid}`);
const found = (...texts: string[]) => {
  const { closing, mentioned } = issueReferences(texts, 'https://code.example/');
  return { closing: written(closing), mentioned: written(mentioned) };
};

test.each<[string, string[]]>([
  ['Closes #3', ['#3']],
  ['closes #3, #4 and #5', ['#3', '#4', '#5']],
  ['Fixes: #3 and also see #4', ['#3']],
  ['fix group/sub/project#3.', ['group/sub/project#3']],
  ['Resolves issue #3, and issues #4', ['#3', '#4']],
  ['Implements https://code.example/group/project/-/issues/7', ['group/project#7']],
  ['implementing project#2', ['project#2']],
  ['CLOSED #3', ['#3']],
  ['Enclose #3, prefix #4', []],
  ['closes `#3`', []],
  ['```\ncloses #3\n```', []],
  ['closes #3abc and !4', []],
  ['closes https://other.example/group/project/-/issues/7', []],
  ['closes #0', []],
  ['close to #3', []],
])('%j closes %j', (text, expected) => {
  expect(found(text).closing).toEqual(expected);
});

test.each<[string, string[]]>([
  ['see #3, a/b#4 and https://code.example/a/b/issues/5', ['#3', 'a/b#4', 'a/b#5']],
  ['see #3 and #3', ['#3']],
  ['x#3y &#39; a##4 /#5', []],
  ['color #123456', ['#123456']],
  ['_#3_, __a/b#4__, _see #5_ and #6_', ['#3', 'a/b#4', '#5']],
  ['https://code.example/a/_b_/-/issues/5 and <https://code.example/a/b/-/issues/6>', ['a/_b_#5', 'a/b#6']],
  ['<a title="#3">#4</a>', ['#4']],
  ['https://code.example/a/b/-/issues/5/designs', []],
])('%j mentions %j', (text, expected) => {
  expect(found(text).mentioned).toEqual(expected);
});

it('counts each issue once over all texts, and no more than a hundred', () => {
  const many = Array.from({ length: 300 }, (_, at) => `closes #${at + 1}`).join('\n');
  expect(found('Closes #1', many).closing).toHaveLength(100);
});

it.each([
  ['one word', 'a'.repeat(1_000_000)],
  ['slashes', 'a/'.repeat(500_000)],
  ['keywords', 'closes '.repeat(140_000)],
  ['blanks after a keyword', `closes${' '.repeat(1_000_000)}`],
  ['rows of backticks', Array.from({ length: 1_400 }, (_, at) => '`'.repeat(at + 1)).join(' ')],
  ['hashes', '#'.repeat(1_000_000)],
  ['addresses', 'https://code.example/a/b/'.repeat(40_000)],
  ['a long address', `https://code.example/${'a/'.repeat(490_000)}`],
])('takes no long time over a million characters of %s', (_, text) => {
  const took = (part: string): number => {
    const started = process.cpuUsage();
    found(`${part} #1`);
    return process.cpuUsage(started).user / 1_000;
  };
  // Four times the text takes four times as long, where going back would take sixteen: a bound in seconds depends on
  // what runs beside.
  expect(took(text)).toBeLessThan(8 * Math.min(took(text.slice(0, 250_000)), took(text.slice(0, 250_000))) + 300);
});

it.each([
  ['see #3, !4, a/b!5 and https://code.example/a/b/-/merge_requests/6#note_7', ['#3', '!4', 'a/b!5', 'a/b!6']],
  ['#3 #3 `!4` hi!5 !!6 !0', ['#3', 'hi!5']],
  ['&1, a/b&2, &&3 `&4` &5; https://code.example/groups/a/b/-/epics/6', ['&1', 'a/b&2', 'a/b&6']],
  ['https://ci.example/?a=1&2=3&4 and AT&T', []],
])('%j refers to %j', (text, expected) => {
  const marks = { Issue: '#', MergeRequest: '!', Epic: '&' };
  const found = crossReferencesOf(text, 'https://code.example');
  expect(found.map(({ kind, path, iid }) => `${path}${marks[kind]}${iid}`)).toEqual(expected);
});

it('makes no more than a hundred cross-references of one text', () => {
  const text = Array.from({ length: 300 }, (_, at) => `#${at + 1} !${at + 1}`).join('\n');
  expect(crossReferencesOf(text, 'https://code.example')).toHaveLength(100);
});
