import { isPublic, readAddress } from './addresses';
import { parseAllowed } from './allowed';

const publicly = (text: string): boolean | undefined => {
  const address = readAddress(text);
  return address === undefined ? undefined : isPublic(address);
};

test.each([
  '127.0.0.1',
  '127.255.0.1',
  '0.0.0.0',
  '10.1.2.3',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.100.100.200',
  '168.63.129.16',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '[::1]',
  '::ffff:127.0.0.1',
  '::ffff:a9fe:a9fe',
  '::127.0.0.1',
  '::ffff:0:127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::169.254.169.254',
  '64:ff9b:1::1.1.1.1',
  'fe80::1',
  'fec0::1',
  'fd00:ec2::254',
  '2002:7f00:1::',
  '2001:0:1::',
  '2001:db8::1',
  '4000::1',
])('G-6-5: %s is not public', (text) => expect(publicly(text)).toBe(false));

test.each(['1.1.1.1', '::ffff:1.1.1.1', '64:ff9b::101:101', '2606:4700::1111'])('%s is public', (text) =>
  expect(publicly(text)).toBe(true),
);

test.each(['fe80::1%eth0', 'localhost', '1.1', ''])('%j is no address', (text) =>
  expect(publicly(text)).toBeUndefined(),
);

const allowed = parseAllowed(' Receiver.internal, hooks.internal:8443,10.0.0.0/8, 127.0.0.1:9000, [::1]:80,fd00::/8 ,');
const mayReach = (text: string, port: number) => {
  const address = readAddress(text);
  return address !== undefined && allowed.address(address, port);
};

test('an operator allows hosts, ports of hosts, addresses and ranges', () => {
  expect(allowed.host('receiver.internal', 1)).toBe(true);
  expect(allowed.host('RECEIVER.internal.', 1)).toBe(true);
  expect(allowed.host('a.receiver.internal', 1)).toBe(false);
  expect(allowed.host('hooks.internal', 8443)).toBe(true);
  expect(allowed.host('hooks.internal', 443)).toBe(false);
  expect(mayReach('10.255.1.1', 22)).toBe(true);
  expect(mayReach('::ffff:10.0.0.1', 22)).toBe(true);
  expect(mayReach('11.0.0.1', 22)).toBe(false);
  expect(mayReach('127.0.0.1', 9000)).toBe(true);
  expect(mayReach('127.0.0.1', 9001)).toBe(false);
  expect(mayReach('::1', 80)).toBe(true);
  expect(mayReach('fd12::1', 1)).toBe(true);
  expect(mayReach('fe80::1', 1)).toBe(false);
});

test.each([
  '10.0.0.0/33',
  '10.0.0.256',
  'a b',
  'host:0',
  'host:70000',
  '::1:80:x',
  '10.0.0.0/8:80',
  'http://host',
  '*',
])('%j is refused with its text', (entry) => expect(() => parseAllowed(`ok.internal, ${entry}`)).toThrow(entry));
