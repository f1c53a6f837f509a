import { domainOf, isDomainName } from './email-domain';

test.each(['a.example', 'A-1.example', `${'x'.repeat(63)}.example`])('%p is a domain name', (text) =>
  expect(isDomainName(text)).toBe(true),
);

test.each(['', 'example', '.example', 'a..example', '-a.example', 'a-.example', '*.example', 'a b.example', 'a.-b'])(
  '%p is no domain name',
  (text) => expect(isDomainName(text)).toBe(false),
);

test('a label has at most 63 characters, a name 253', () => {
  expect(isDomainName(`${'x'.repeat(64)}.example`)).toBe(false);
  expect(isDomainName(`${'x.'.repeat(126)}x`)).toBe(true);
  expect(isDomainName(`${'x.'.repeat(126)}xx`)).toBe(false);
});

test('the domain of an address comes after its last @, in lower case', () => {
  expect(domainOf('"a@b"@Forge.Example')).toBe('forge.example');
});
