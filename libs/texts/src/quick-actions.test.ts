import { growth } from '@switchyard/testkit';
import { dueDate, labelNames, milestoneName, parseQuickActions, userNames } from './quick-actions';

describe('commands in a body', () => {
  it('are lines of their own, taken out of the text', () => {
    expect(parseQuickActions('/close\nDone here.\n/label ~bug ~"needs work"  \n', 'Issue')).toEqual({
      text: 'Done here.',
      commands: [
        { name: 'close', argument: '' },
        { name: 'label', argument: '~bug ~"needs work"' },
      ],
    });
    expect(parseQuickActions('/CLOSE', 'Issue').commands).toEqual([{ name: 'close', argument: '' }]);
    for (const kind of ['Issue', 'MergeRequest'] as const)
      expect(
        parseQuickActions('/spent 1h\n/Spend_Time 1h\n/estimate_time 1h', kind).commands.map(({ name }) => name),
      ).toEqual(['spend', 'spend', 'estimate']);
  });

  it('that stand for a face become it, behind their text', () => {
    expect(parseQuickActions('/shrug\nHm\n/TABLEFLIP no\n/close', 'Epic')).toEqual({
      text: '¯\\\uff3f(ツ)\uff3f/¯\nHm\nno (╯°□°)╯︵ ┻━┻',
      commands: [{ name: 'close', argument: '' }],
    });
    for (const body of ['```\n/shrug\n```', '/shrugs', 'so /shrug'])
      expect(parseQuickActions(body, 'Issue')).toEqual({ text: body, commands: [] });
    expect(parseQuickActions('/shrug', 'Snippet').text).toBe('/shrug');
  });

  it('are text in code, in the middle of a line, of another kind, and where there is no such command', () => {
    for (const body of [
      '```\n/close\n```',
      'please /close',
      '/draft',
      '/usr/bin/env',
      '/nothing',
      ' /close',
      '/',
      '<!--\n/close\n-->',
      '>>>\n/close\n>>>',
    ]) {
      expect(parseQuickActions(body, 'Issue')).toEqual({ text: body, commands: [] });
    }
    expect(parseQuickActions('/close', 'Snippet').commands).toEqual([]);
    expect(parseQuickActions('<!-- x -->\n/close\n<!--\n/close\n--> y\n/close', 'Issue').commands).toHaveLength(2);
    expect(parseQuickActions('~~~\n/close\n```\n/close\n~~~\n/close', 'Issue').commands).toHaveLength(1);
  });

  it('are text in HTML, to the end of the element', () => {
    for (const body of [
      '<pre>\n/close\n</pre>',
      '<PRE lang="x"><code>a\n\n/close\n</code></pre>',
      '<pre>\n/close',
      'It says <code>\n/close\n</code>.',
      '</pre><script>\n/close\n</script>',
      '<pre>a</pre><pre>\n/close\n</pre><pre>\n/close\n</pre>',
      '<details open>\n<summary>Log</summary>\n\n/close\n\n</details>',
      '<pre>\n```\n</pre>\n```\n/close\n```',
    ]) {
      expect(parseQuickActions(body, 'Issue')).toEqual({ text: body, commands: [] });
    }
    for (const body of [
      '<pre>a</pre>\n/close',
      '<br>\n/close',
      '<details>\n/close\n</summary>',
      'Like <pre>\n/close',
      'Like `<pre>`\n/close\nor `</pre>`',
      '```\n<pre>\n```\n/close',
      'a < b\n/close\n</b>',
    ]) {
      expect(parseQuickActions(body, 'Issue').commands).toHaveLength(1);
    }
  });

  it('are read in one pass', () => {
    const html = ['<pre', '<pre>\n', '</pre><pre>', '<x>\n</x>\n', '<x>\n', '`<', '<!--'];
    const bodies: ((size: number) => string)[] = [
      (size) => '/close\n'.repeat(size / 7),
      (size) => `/${'a'.repeat(size)}`,
      (size) => `/label ${'~'.repeat(size)}`,
      ...html.map((line) => (size: number) => `/close\n${line.repeat(size / line.length)}`),
    ];
    for (const body of bodies) {
      const read = (size: number): void => {
        for (const { argument } of parseQuickActions(body(size), 'Issue').commands) labelNames(argument);
      };
      expect(growth(read)).toBeLessThan(1.8);
    }
    const many = parseQuickActions(`${'/close\n'.repeat(1_000)}${'/confidential\n'.repeat(1_000)}`, 'Issue').commands;
    expect(many.map(({ name }) => name)).toEqual([...Array(100).fill('close'), 'confidential']);
  });
});

it('labels, milestones and users are named in their usual spellings', () => {
  expect(['%v1', 'v1', '%"next one"', 'next one', ''].map(milestoneName)).toEqual([
    'v1',
    'v1',
    'next one',
    'next one',
    '',
  ]);
  expect(labelNames('~bug ~"needs work" plain "two words", ~bug')).toEqual(['bug', 'needs work', 'plain', 'two words']);
  expect(userNames('@ada, me and @bob @ada')).toEqual(['ada', 'me', 'bob']);
});

it('a due date is a day or a distance', () => {
  const now = new Date('2026-01-31T10:00:00Z');
  expect(
    ['today', 'tomorrow', 'in 3 days', '2 weeks', 'in 1 month', '2026-02-28'].map((text) => dueDate(text, now)),
  ).toEqual(['2026-01-31', '2026-02-01', '2026-02-03', '2026-02-14', '2026-03-03', '2026-02-28']);
  expect(['2026-02-31', 'soon', '', '0000-01-01'].map((text) => dueDate(text, now))).toEqual(Array(4).fill(undefined));
});
