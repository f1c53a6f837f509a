import { inlineRenderer, markdownRenderer, projectMarkdownRenderer, renderTitle } from './render-markdown';

const render = (text: string): string => markdownRenderer()(text);
const renderInline = (text: string): string => inlineRenderer()(text);

test.each([
  ['**bold** _it_ ~~gone~~ `x < 1`', '<p><strong>bold</strong> <em>it</em> <s>gone</s> <code>x &lt; 1</code></p>'],
  ['# Head\n\n- one\n- two', '<h1>Head</h1>\n<ul>\n<li>one</li>\n<li>two</li>\n</ul>'],
  [
    '- [ ] a **b**\n- [x] c\n\n[ ] d',
    '<ul>\n<li><input type="checkbox" disabled /> a <strong>b</strong></li>\n' +
      '<li><input type="checkbox" checked disabled /> c</li>\n</ul>\n<p>[ ] d</p>',
  ],
  [
    '- [ ](x) <input type="text" name="n" value="v"> [x]',
    '<ul>\n<li><a href="x" rel="nofollow noreferrer noopener"> </a>  [x]</li>\n</ul>',
  ],
  ['<input type="checkbox" onclick="x" name="n">', '<input type="checkbox" disabled />'],
  ['3. three', '<ol start="3">\n<li>three</li>\n</ol>'],
  ['```ruby\nputs "<b>"\n```', '<pre><code class="language-ruby">puts "&lt;b&gt;"\n</code></pre>'],
  [
    '[a](https://example.com "t")',
    '<p><a href="https://example.com" title="t" rel="nofollow noreferrer noopener">a</a></p>',
  ],
  ['see https://example.com/x', expect.stringContaining('<a href="https://example.com/x"')],
  ['![i](/uploads/a.png)', '<p><img src="/uploads/a.png" alt="i" /></p>'],
  ['| a |\n| -: |\n| 1 |', expect.stringContaining('<th align="right">a</th>')],
  [
    '<details><summary>More</summary>\n\n*x*\n\n</details>',
    expect.stringContaining('<details><summary>More</summary>'),
  ],
  ['x<sup>2</sup> & 1 < 2', '<p>x<sup>2</sup> &amp; 1 &lt; 2</p>'],
  ['', ''],
])('%j is rendered', (text, html) => {
  expect(render(text)).toEqual(html);
});

const attacks = [
  '<script>alert(1)</script>',
  '<ScRiPt src=//evil.example/x.js></sCrIpT>',
  '<img src=x onerror=alert(1)>',
  '<img src="javascript:alert(1)">',
  '<img src="data:text/html,<script>alert(1)</script>">',
  '<svg/onload=alert(1)>',
  '<svg><script>alert(1)</script></svg>',
  '<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>',
  '<iframe src="javascript:alert(1)"></iframe>',
  '<iframe srcdoc="<script>alert(1)</script>">',
  '<object data="javascript:alert(1)">',
  '<embed src="javascript:alert(1)">',
  '<form action="javascript:alert(1)"><input type=submit>',
  '<button formaction="javascript:alert(1)">x</button>',
  '<a href="javascript:alert(1)">x</a>',
  '<a href="jAvAsCrIpT&colon;alert(1)">x</a>',
  '<a href="java\tscript:alert(1)">x</a>',
  '<a href="&#106;avascript:alert(1)">x</a>',
  '<a href=" \u0001javascript:alert(1)">x</a>',
  '<a href="vbscript:x">x</a>',
  '<a href="//evil.example">x</a>',
  '[x](javascript:alert(1))',
  '[x](JaVaScRiPt:alert(1))',
  '[x](data:text/html;base64,PHNjcmlwdD4=)',
  '[x](<javascript:alert(1)>)',
  '[x][y]\n\n[y]: javascript:alert(1)',
  '![x](javascript:alert(1))',
  '![x" onerror="alert(1)](x)',
  '[x](https://a"onmouseover="alert(1))',
  '<javascript:alert(1)>',
  '<https://a.example/"onmouseover="alert(1)>',
  '<style>*{background:url(javascript:alert(1))}</style>',
  '<p style="background:url(javascript:alert(1))">x</p>',
  '<div id="login" class="modal" onclick="alert(1)">x</div>',
  '<a name="x" id="y" href="#" target="_top">x</a>',
  '<base href="https://evil.example/">',
  '<meta http-equiv="refresh" content="0;url=https://evil.example">',
  '<link rel=stylesheet href=https://evil.example>',
  '<!--><script>alert(1)</script>-->',
  '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
  '<xmp><script>alert(1)</script></xmp>',
  '<plaintext><script>alert(1)</script>',
  '<textarea><script>alert(1)</script></textarea>',
  '<template><script>alert(1)</script></template>',
  '```"onmouseover="alert(1)\nx\n```',
  '```x" onload="alert(1)\nx\n```',
  '<scr<script>ipt>alert(1)</scr</script>ipt>',
  '<<script>alert(1)//<</script>',
  '<img src="x` `<script>alert(1)</script>"` `>',
  '<a href="https://a.example" onclick=alert(1) x="',
  '<td style="text-align:left;position:fixed">x',
];

const openTag = /<([a-z][a-z0-9]*)((?: [a-z]+(?:="[^"<>]*")?)*) ?\/?>/g;
const names = new Set(
  'h1 h2 h3 h4 h5 h6 p br hr blockquote pre ul ol li table thead tbody tr th td details summary div span a img input code s em strong sup'.split(
    ' ',
  ),
);
const attributes = new Set([
  'href',
  'title',
  'rel',
  'src',
  'alt',
  'width',
  'height',
  'class',
  'start',
  'align',
  'open',
  'type',
  'checked',
  'disabled',
]);

test.each(attacks)('%j does no harm', (attack) => {
  const texts = [attack, `- ${attack}`, `> ${attack}`, `before\n\n${attack}\n\nafter`, `a ${attack} b`];
  for (const html of [...texts.map(render), renderInline(attack), renderInline(`a ${attack} b`)]) {
    // Every `<` begins a tag of the known form with known attributes: nothing else can be markup.
    const rest = html.replace(openTag, (_, name: string, given: string) => {
      expect(names).toContain(name);
      for (const [, attribute = '', value = ''] of given.matchAll(/ ([a-z]+)(?:="([^"]*)")?/g)) {
        expect(attributes).toContain(attribute);
        if (attribute === 'href' || attribute === 'src') {
          expect(value).not.toMatch(/^(?:\/\/|\\)/);
          expect(value.replace(/^(?:https?|mailto):/, '').split(/[/?#]/)[0]).not.toMatch(
            /^[^/]*(?:script|data|vbs)[^/]*:/i,
          );
        }
        if (attribute === 'class') expect(value).toMatch(/^language-[\w+#-]+$/);
      }
      return '';
    });
    expect(rest.replace(/<\/[a-z0-9]+>/g, '')).not.toMatch(/[<>]/);
  }
});

const size = 1_048_576;
const nasty = [
  '[',
  '*',
  '>',
  '<',
  '`',
  '_',
  '!',
  '&',
  '|',
  '~',
  '(',
  '\\',
  '#',
  '-',
  '<b>',
  '</b>',
  '![',
  '[](',
  '[a](',
  '**a *',
  '> * ',
  '- ',
  'a|',
  '|-|\n',
  '<!--',
  '<a href="',
  'http://',
  '``` ',
  '`` ',
  '[^1',
  '<details>\n',
  '1. ',
  '\n\n    x',
  'a@b.c ',
  '&#x',
  '[a]: <b> "c\n',
];

/** A table of few characters whose rows are filled up to its columns. */
const wideTable = (columns: number, rows: number): string =>
  `|${'a|'.repeat(columns)}\n|${'-|'.repeat(columns)}\n${'|\n'.repeat(rows)}\n`;

test('a nasty text of a megabyte takes a bounded time', () => {
  for (const part of nasty) {
    const started = process.cpuUsage();
    render(part.repeat(size / part.length));
    renderInline(part.repeat(size / part.length));
    const { user, system } = process.cpuUsage(started);
    // Up to some 250 ms, measured.
    expect([part, (user + system) / 1_000 < 2_500]).toEqual([part, true]);
  }
});

test.each([
  ['one wide table', wideTable(2_000, 14_000)],
  ['many tables', wideTable(180, 360).repeat(22)],
  ['tables in a list', `- ${wideTable(180, 360).replaceAll('\n', '\n  ')}\n`.repeat(15)],
])('cells of %s are bounded', (_name, text) => {
  const html = render(text);
  const cells = html.match(/<t[hd]>/g) ?? [];
  expect(cells.length).toBeGreaterThan(2_000);
  expect(cells.length).toBeLessThanOrEqual(8_192);
  expect(html.length).toBeLessThan(300_000);
});

test('a large table that people wrote is one table', () => {
  const html = render(`| a | b |\n|---|---|\n${'| c | d |\n'.repeat(3_000)}\n| e |\n|---|\n| f |`);
  expect(html.match(/<table>/g)).toHaveLength(2);
  expect(html.match(/<td>/g)).toHaveLength(6_001);
});

test('what is not parsed is shown as plain text, of each text and of a reply', () => {
  const html = render(`${'**a**\n'.repeat(6_000)}<b>&end`);
  expect(html).toContain('<strong>a</strong>');
  expect(html.endsWith('**a**\n&lt;b&gt;&amp;end</pre>')).toBe(true);
  const renderer = markdownRenderer();
  const shown = Array.from({ length: 10 }, () => renderer(`*x*${' y'.repeat(20_000)}`).includes('<em>'));
  expect(shown).toEqual([...Array(8).fill(true), false, false]);
  const long = render('😀'.repeat(20_000));
  expect(long.isWellFormed()).toBe(true);
});

test.each([
  ['Something is *broken*', 'Something is <em>broken</em>'],
  ['see https://example.com', expect.stringMatching(/^see <a href="https:\/\/example.com" rel="[^"]+">/)],
  ['# none ![i](/a.png) 1. `<b>`', '# none  1. <code>&lt;b&gt;</code>'],
  ['it\'s 100% "plain", (a) - b / c.', 'it\'s 100% "plain", (a) - b / c.'],
  ['<b>x</b> <div>y</div> & z', '<b>x</b> y &amp; z'],
  ['a\nb', 'a\nb'],
  ['', ''],
])('%j is rendered as one line', (text, html) => {
  expect(renderInline(text)).toEqual(html);
});

test('a reply parses each line once, and a limited number of characters', () => {
  const inline = inlineRenderer();
  const line = (at: number) => `*${'x '.repeat(5_000)}${at}*`;
  for (const _ of [1, 2, 3])
    expect([1, 2, 3, 4].map((at) => inline(line(at)).startsWith('<em>'))).toEqual([true, true, true, false]);
  expect(inline('x & *y*'.repeat(1_000)).includes('&amp; *y*')).toBe(true);
});

test('a line without markup is its own HTML', () => {
  const plain = Array.from({ length: 96 }, (_, at) => String.fromCharCode(32 + at)).filter(
    (one) => !/[*_`~<>&[\]!\\:]/.test(one),
  );
  for (const one of plain)
    expect(renderInline(`x${one}y`)).toBe(renderInline(`x${one}y **z**`).replace(' <strong>z</strong>', ''));
});

test('a title is plain text', () => {
  expect(renderTitle('*a* <b> & "c"')).toBe('*a* &lt;b&gt; &amp; &quot;c&quot;');
});

test.each([
  ['![load](UPLOAD)', '<p><img src="HERE" alt="load" /></p>'],
  ['<img src="UPLOAD">', '<img src="HERE" />'],
  ['[notes](UPLOAD)', '<p><a href="HERE" rel="nofollow noreferrer noopener">notes</a></p>'],
  ['![load](/uploads/x/load.png)', '<p><img src="/uploads/x/load.png" alt="load" /></p>'],
  ['![load](https://other.example/UPLOAD)', '<p><img src="https://other.example/UPLOAD" alt="load" /></p>'],
  ['`UPLOAD`', '<p><code>UPLOAD</code></p>'],
])('%j shows the uploads of its project', (text, html) => {
  const upload = `/uploads/${'0a'.repeat(16)}/load.png`;
  const here = `https://forge.example/sub/-/project/7${upload}`;
  const written = (given: string): string => given.replace('UPLOAD', upload).replace('HERE', here);
  const rendered = projectMarkdownRenderer(new Map(), 'https://forge.example/sub/');
  expect(rendered(written(text), 7)).toBe(written(html));
});

describe('links that a text does not write', () => {
  /** Leads `A-<number>` to an address. */
  const links = (text: string) =>
    [...text.matchAll(/\bA-\d+\b/g)].map(({ 0: name, index }) => ({
      start: index,
      end: index + name.length,
      url: `https://t.example/?id=${name}&"`,
    }));
  const anchor = (name: string) =>
    `<a href="https://t.example/?id=${name}&amp;%22" rel="nofollow noreferrer noopener">${name}</a>`;

  it.each([
    ['A-1', `<p>${anchor('A-1')}</p>`],
    ['**A-1**, then A-2.', `<p><strong>${anchor('A-1')}</strong>, then ${anchor('A-2')}.</p>`],
    ['<b>A-1</b>', `<p><b>${anchor('A-1')}</b></p>`],
    ['`A-1`', '<p><code>A-1</code></p>'],
    ['    A-1', '<pre><code>A-1\n</code></pre>'],
    ['[A-1](/x)', '<p><a href="/x" rel="nofollow noreferrer noopener">A-1</a></p>'],
    ['<a href="/x">A-1</a> A-2', `<p><a href="/x" rel="nofollow noreferrer noopener">A-1</a> ${anchor('A-2')}</p>`],
    ['nothing', '<p>nothing</p>'],
  ])('%j', (text, html) => expect(markdownRenderer()(text, links)).toBe(html));

  it('an address that may not be linked stays text', () => {
    const bad = () => [{ start: 0, end: 1, url: 'javascript:alert(1)' }];
    expect(markdownRenderer()('A-1', bad)).toBe('<p>A-1</p>');
  });
});
