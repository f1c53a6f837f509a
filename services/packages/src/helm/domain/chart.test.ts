import { readChartYaml } from '../application/read-chart-yaml';
import { chartFileName, isChannel, isChartFile, readChart } from './chart';

const read = (yaml: string) => readChart(readChartYaml(Buffer.from(yaml)));
const good = 'apiVersion: v2\nname: app\nversion: 1.2.3\n';

it('keeps what Helm knows, its scalars as they are written', () => {
  const found = read(`${good}appVersion: 1.10
deprecated: true
unknown: x
keywords: [a, 1]
maintainers:
  - name: Ann
    email: ann@example.com
    x: y
dependencies:
  - { name: db, version: ">=1", enabled: false, tags: [t] }
annotations: { when: 2026-01-02, yes: no, list: [x] }
`);
  expect(found).toEqual({
    chart: {
      apiVersion: 'v2',
      name: 'app',
      version: '1.2.3',
      appVersion: '1.10',
      deprecated: true,
      keywords: ['a', '1'],
      maintainers: [{ name: 'Ann', email: 'ann@example.com' }],
      dependencies: [{ name: 'db', version: '>=1', tags: ['t'] }],
      annotations: { when: '2026-01-02', yes: 'no' },
    },
  });
  expect('chart' in found && chartFileName(found.chart)).toBe('app-1.2.3.tgz');
});

const bomb = `a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [${'*a,'.repeat(9)}*a]\nc: &c [${'*b,'.repeat(9)}*b]\nd: [${'*c,'.repeat(9)}*c]\n`;
it.each([
  ['', ['Chart.yaml is no mapping']],
  ['- a', ['Chart.yaml is no mapping']],
  ['a: [', ['Chart.yaml is no mapping']],
  [bomb, ['Chart.yaml is no mapping']],
  ['a: b', ['apiVersion is missing', 'name is missing', 'version is missing']],
  ['apiVersion: v3\nname: ../x\nversion: latest', ['apiVersion is invalid', 'name is invalid', 'version is invalid']],
  ['apiVersion: v2\nname: app\nversion: " 1.2.3 "', ['version is invalid']],
  ['apiVersion: v2\nname: app\nversion: "1.2.3\\n"', ['version is invalid']],
  [`${good}description: ${'x'.repeat(70_000)}`, ['Chart.yaml is too long']],
  [`${good}description: "a\\0b"`, ['Chart.yaml holds characters that cannot be kept']],
  [`${good}annotations: { "a\\ud800": b }`, ['Chart.yaml holds characters that cannot be kept']],
])('refuses %#', (yaml, problems) => {
  expect(read(yaml)).toEqual({ problems });
});

it.each([
  ['stable', true],
  ['a.b-c_d', true],
  ['a..b', false],
  ['-a', false],
  ['a/b', false],
  ['a\n', false],
  ['x'.repeat(256), false],
])('%j as a channel: %s', (text, expected) => {
  expect(isChannel(text)).toBe(expected);
});

it.each([
  ['app-1.2.3.tgz', true],
  ['app-1.2.3+1.tgz', true],
  ['app.zip', false],
  ['a/b.tgz', false],
  ['app-1.tgz\n', false],
])('%j as the file of a chart: %s', (text, expected) => {
  expect(isChartFile(text)).toBe(expected);
});
