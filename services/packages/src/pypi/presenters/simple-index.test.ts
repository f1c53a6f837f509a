import { namesHtml, negotiate, projectHtml, projectJson } from './simple-index';

const json = 'application/vnd.pypi.simple.v1+json';
const html = 'application/vnd.pypi.simple.v1+html';

it.each([
  [undefined, 'text/html'],
  ['*/*', 'text/html'],
  ['text/html', 'text/html'],
  [json, json],
  [`${json}, ${html}; q=0.1, text/html; q=0.01`, json],
  [`${json};q=0.1, text/html`, 'text/html'],
  [html, html],
  ['application/vnd.pypi.simple.latest+json', json],
  [`${json};q=0`, 'text/html'],
  ['image/png', 'text/html'],
])('a client that accepts %s gets %s (PEP 691)', (accept, type) => {
  expect(negotiate(accept)).toEqual({ type, json: type === json });
});

const file = {
  fileName: 'app-1.0.tar.gz',
  version: '1.0',
  url: '/api/v4/projects/1/packages/pypi/files/aa/app-1.0.tar.gz',
  sha256: 'aa',
  size: 5,
  requiresPython: '>=3.8,<"4"',
  yanked: undefined,
  createdAt: new Date('2026-01-02T03:04:05.678Z'),
};

it('writes what a publisher gave as text (PEP 503)', () => {
  expect(projectHtml('app', [file])).toContain(
    `<a href="${file.url}#sha256=aa" data-requires-python="&gt;=3.8,&lt;&quot;4&quot;">app-1.0.tar.gz</a>`,
  );
  expect(namesHtml('/x', ['app'])).toContain('<a href="/x/simple/app/">app</a>');
});

it('has versions, sizes and times in JSON (PEP 700)', () => {
  expect(JSON.parse(projectJson('app', [file, { ...file, requiresPython: undefined }]))).toEqual({
    meta: { 'api-version': '1.1' },
    name: 'app',
    versions: ['1.0'],
    files: [
      {
        filename: file.fileName,
        url: file.url,
        hashes: { sha256: 'aa' },
        'requires-python': file.requiresPython,
        yanked: false,
        size: 5,
        'upload-time': '2026-01-02T03:04:05.678Z',
      },
      expect.not.objectContaining({ 'requires-python': expect.anything() }),
    ],
  });
});

it.each([
  ['eats "data"', ' data-yanked="eats &quot;data&quot;"', 'eats "data"'],
  ['', ' data-yanked=""', true],
])('says that a file is yanked for %j (PEP 592)', (yanked, html, json) => {
  const files = [{ ...file, requiresPython: undefined, yanked }];
  expect(projectHtml('app', files)).toContain(`#sha256=aa"${html}>app-1.0.tar.gz</a>`);
  expect(JSON.parse(projectJson('app', files)).files[0].yanked).toBe(json);
});
