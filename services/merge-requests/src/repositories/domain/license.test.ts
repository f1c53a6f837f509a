import { licenseTemplates } from '../storage/license-templates';
import { type LicenseTemplate, licenseFileOf, matchLicense } from './license';

let templates: readonly LicenseTemplate[];
beforeAll(async () => {
  templates = await licenseTemplates()();
});
const textOf = (key: string): string => {
  const found = templates.find(({ license }) => license.key === key);
  if (found === undefined) throw new Error(`no ${key}`);
  return found.license.text;
};

test.each([
  [['src', 'README.md'], undefined],
  [['COPYING', 'LICENSE'], 'LICENSE'],
  [['LICENSE-MIT', 'copying.txt'], 'copying.txt'],
  [['LICENSE-MIT', 'License_Apache'], 'LICENSE-MIT'],
  [['UNLICENSE'], 'UNLICENSE'],
  [['licence.md'], 'licence.md'],
  [['licenses.json', 'LICENSED', 'my-license'], undefined],
])('of %j the licence file is %j', (names, found) => expect(licenseFileOf(names)).toBe(found));

test('every licence is recognised by its own text, and by no other', () => {
  for (const { license } of templates) expect(matchLicense(license.text, templates)?.key).toBe(license.key);
});

test('names, years, line breaks and a missing appendix do not matter', () => {
  const mit = textOf('mit').replace(/Copyright .*/, 'Copyright (c) 2026 Ada Lovelace <ada@example.org>');
  expect(matchLicense(mit.replace(/\n(?!\n)/g, ' '), templates)).toMatchObject({ key: 'mit', name: 'MIT License' });
  const apache = textOf('apache-2.0').split('END OF TERMS AND CONDITIONS')[0] ?? '';
  expect(matchLicense(apache, templates)?.key).toBe('apache-2.0');
  expect(matchLicense(textOf('gpl-3.0'), templates)).toMatchObject({ nickname: 'GNU GPLv3' });
});

test.each(['', 'All rights reserved.', 'See https://example.org/terms for the licence.'])(
  'the text %j is no licence',
  (text) => expect(matchLicense(text, templates)).toBeUndefined(),
);

test('half a licence, and two in one file, are none', () => {
  const gpl = textOf('gpl-3.0');
  expect(matchLicense(gpl.slice(0, gpl.length / 2), templates)).toBeUndefined();
  expect(matchLicense(textOf('mit') + textOf('isc') + textOf('apache-2.0').slice(0, 900), templates)).toBeUndefined();
});

test.each(['\n', '\r', ' ', '\u2028'])('a text of nothing but %j is looked at in no time', (blank) => {
  const began = performance.now();
  expect(matchLicense(blank.repeat(128 << 10), templates)).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(1_000);
});
