import { problemsOfName, slugOf } from './http-integration';

it.each([
  ['Grafana (EU) – prod', 'grafana-eu-prod'],
  ['Überwachung', 'uberwachung'],
  ['../../etc/passwd', 'etc-passwd'],
  ['監視', 'integration'],
  ['a'.repeat(255), 'a'.repeat(100)],
])('%s becomes %s in an address', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});

it.each([
  ['x'.repeat(255), []],
  ['😀'.repeat(255), []],
  [' \t', ["can't be blank"]],
  ['x'.repeat(256), ['is too long (maximum is 255 characters)']],
])('of the name %s it says %j', (name, problems) => {
  expect(problemsOfName(name)).toEqual(problems);
});
