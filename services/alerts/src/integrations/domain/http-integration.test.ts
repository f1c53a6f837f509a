import { slugOf } from './http-integration';

it.each([
  ['Grafana (EU) – prod', 'grafana-eu-prod'],
  ['Überwachung', 'uberwachung'],
  ['../../etc/passwd', 'etc-passwd'],
  ['監視', 'integration'],
  ['a'.repeat(255), 'a'.repeat(100)],
])('%s becomes %s in an address', (name, slug) => {
  expect(slugOf(name)).toBe(slug);
});
