import { markdownRenderer } from '@switchyard/markdown';
import { issueReferences, mentionsIn, parseQuickActions } from '@switchyard/texts';
import type { MergeTrainEvidence } from './merge-train-evidence';
import { abortWords, type RemovalReason, removalNote, removalSentence } from './merge-train-removal';

test.each<[RemovalReason, string, string]>([
  ['pipeline_failed', ' because its pipeline failed', 'its pipeline failed'],
  ['pushed', ' because commits were pushed to its source branch', 'the source branch was updated'],
  ['canceled', '', 'it was canceled'],
  ['unspecified', '', ''],
])('the words of %s', (reason, removed, aborted) => {
  const removal = { reason, targetBranch: 'main' };
  expect(removalNote(removal)).toBe(`removed this merge request from the merge train for \`main\`${removed}`);
  expect(removalSentence(removal)).toBe(`Removed from the merge train for \`main\`${removed}.`);
  expect(abortWords(reason)).toBe(aborted);
});

describe('a removal with evidence (D8)', () => {
  const evidence: MergeTrainEvidence = {
    testedSha: '4f1c2ab9'.repeat(5),
    baseSha: '8d2e11c0'.repeat(5),
    pipelineId: 31,
    statuses: [
      { name: 'unit', targetUrl: 'https://ci.example/jobs/7#step-2' },
      { name: 'lint', targetUrl: '' },
    ],
    reruns: 1,
  };
  const noteOf = (given: Partial<MergeTrainEvidence>, reason: RemovalReason = 'pipeline_failed') =>
    removalNote({ reason, targetBranch: 'main', evidence: { ...evidence, ...given } });

  it('lists what failed, on which commit, in which pipeline and on which base', () => {
    const list = [
      '- Failed: [`unit`](https://ci.example/jobs/7#step-2), `lint`',
      '- Tested commit: `4f1c2ab9` in pipeline 31, tested again once',
      '- Landed base: `8d2e11c0`',
    ].join('\n');
    expect(noteOf({})).toBe(
      `removed this merge request from the merge train for \`main\` because its pipeline failed\n\n${list}`,
    );
    expect(removalSentence({ reason: 'pipeline_failed', targetBranch: 'main', evidence })).toBe(
      `Removed from the merge train for \`main\` because its pipeline failed.\n\n${list}`,
    );
  });

  it('leaves out what is not known; a conflict is one with the target branch alone', () => {
    expect(noteOf({ testedSha: '', pipelineId: 0, statuses: [], reruns: 0 }, 'conflict')).toBe(
      'removed this merge request from the merge train for `main` because it conflicts with the target branch\n\n- Landed base: `8d2e11c0`',
    );
    expect(noteOf({ testedSha: '', statuses: [] }, 'no_changes')).toContain(' because the target branch already has ');
    expect(noteOf({ statuses: [], reruns: 3, baseSha: '' }, 'timeout')).toMatch(
      /in time\n\n- Tested commit: `4f1c2ab9` in pipeline 31, tested again 3 times$/,
    );
    expect(noteOf({ testedSha: '', baseSha: '', statuses: [] })).toMatch(/pipeline failed$/);
    expect(removalNote({ reason: 'conflict', targetBranch: 'main' })).toMatch(/or with a merge request ahead of it$/);
  });

  const hostile = [
    '@all',
    '` @all `` @eve ```',
    '``',
    'a](https://evil.example) [b',
    '<b onmouseover=x>&lt;',
    '<!-- @all',
    '!3 #4 acme/shop#5 $6 ~bug %1',
    '\n/close\n@all',
    '\r\n- [x] task\n\n# head\n\n```\n/merge',
    '\u202e\u0000\u2028/close',
    'https://code.example/acme/shop/-/issues/3',
    '![x](https://evil.example/x.png)',
    '\\`@all\\`',
    ' ',
  ];

  it.each(hostile)('makes no mention, reference, quick action or HTML of the status name %j', (name) => {
    const target = 'https://ci.example/x"><img src=x>/@all`)?to=@eve&m=b/c!3&#12\n/close';
    const statuses = [name, name].map((one) => ({ name: one, targetUrl: target }));
    const removal = { reason: 'pipeline_failed', targetBranch: name, evidence: { ...evidence, statuses } } as const;
    for (const text of [removalNote(removal), removalSentence(removal)]) {
      expect(mentionsIn(text)).toEqual({ usernames: [], directlyAddressed: [] });
      expect(issueReferences([text], 'https://code.example')).toEqual({
        closing: [],
        mentioned: [],
        mergeRequests: [],
        epics: [],
      });
      expect(parseQuickActions(text, 'MergeRequest').commands).toEqual([]);
      expect(text.split('\n')).toHaveLength(5);
      const html = markdownRenderer()(text);
      expect([...html.matchAll(/<(\w+)/g)].map(([, tag]) => tag).filter((tag) => tag !== 'code')).toEqual([
        ...['p', 'ul', 'li', 'a', 'a', 'li', 'li'],
      ]);
      expect([...html.matchAll(/href="([^"]*)"/g)].map(([, url]) => url)).toEqual(
        Array(2).fill('https://ci.example/x%22%3E%3Cimg%20src=x%3E/%40all%60%29?to=%40eve&amp;m=b/c%213&amp;'),
      );
    }
  });

  it('lists ten names, each cut, whatever their number and length', () => {
    const statuses = Array.from({ length: 100 }, (_, at) => ({
      name: `${at} ${'n'.repeat(100_000)}`,
      targetUrl: `https://ci.example/${'u'.repeat(at === 1 ? 100_000 : 1_000)}`,
    }));
    const note = noteOf({ statuses });
    expect(note).toContain(' and 90 more\n');
    expect(note).toContain(`, \`1 ${'n'.repeat(97)}…\`, [\`2 nnn`);
    expect(note.length).toBeLessThan(13_000);
  });
});
