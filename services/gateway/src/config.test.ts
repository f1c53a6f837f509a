import { readConfig } from './config';

const needed = {
  GROUPS_ADMIN_ADDRESS: '127.0.0.1:1',
  MERGE_REQUESTS_ADDRESS: '127.0.0.1:2',
  COLLABORATION_ADDRESS: '127.0.0.1:3',
  ALERTS_ADDRESS: '127.0.0.1:5',
  PACKAGES_ADDRESS: '127.0.0.1:7',
  IMPORTS_EXPORTS_ADDRESS: '127.0.0.1:7',
  ALERTS_HTTP_URL: 'http://127.0.0.1:6',
  PACKAGES_HTTP_URL: 'http://127.0.0.1:8',
  IMPORTS_EXPORTS_HTTP_URL: 'http://127.0.0.1:8',
  MERGE_REQUESTS_HTTP_URL: 'http://127.0.0.1:4',
  SWITCHYARD_IDENTITY_KEY_FILE: '/key',
};

test.each([
  ['none', false],
  ['10.1.2.3, 192.168.0.0/16', '10.1.2.3,192.168.0.0/16'],
  ['fd00::/8,loopback', 'fd00::/8,loopback'],
  [undefined, false],
])('trusted proxies %s', (written, expected) => {
  expect(readConfig({ ...needed, SWITCHYARD_TRUSTED_PROXIES: written }).SWITCHYARD_TRUSTED_PROXIES).toBe(expected);
});

test.each(['everyone', '0.0.0.0/0', '::/0', '10.0.0.0/33', '10.0.0.0/8/8', 'none,loopback'])(
  '%s names no proxies',
  (written) => {
    expect(() => readConfig({ ...needed, SWITCHYARD_TRUSTED_PROXIES: written })).toThrow(
      /^SWITCHYARD_TRUSTED_PROXIES: /,
    );
  },
);

test.each([
  ['SWITCHYARD_EXTERNAL_URL', 'ftp://forge.example'],
  ['SWITCHYARD_EXTERNAL_URL', 'http://forge.example/?a=b'],
  ['SWITCHYARD_EXTERNAL_URL', 'http://user:password@forge.example'],
  ['GROUPS_ADMIN_ADDRESS', 'garbage'],
  ['GROUPS_ADMIN_ADDRESS', 'http://127.0.0.1:1'],
  ['PACKAGES_HTTP_URL', 'not a url'],
  ['PACKAGES_HTTP_URL', '127.0.0.1:99'],
  ['SWITCHYARD_THROTTLE_AUTHENTICATED', '10/0'],
  ['SWITCHYARD_THROTTLE_UNAUTHENTICATED', '99999999999999999999/1'],
  ['SWITCHYARD_ALERT_LIMIT', '0/60'],
  ['SWITCHYARD_APPLICATION_LIMITS', '0x10'],
  ['HTTP_PORT', '0x10'],
])('%s=%s is refused in one line', (name, value) => {
  expect(() => readConfig({ ...needed, [name]: value })).toThrow(new RegExp(`^${name}: must [^\\n;]+$`));
});

test('limits of blanks are those of unset ones', () => {
  expect(readConfig({ ...needed, SWITCHYARD_APPLICATION_LIMITS: ' ' }).SWITCHYARD_APPLICATION_LIMITS).toBe(1);
});

test('one line names every variable at fault', () => {
  const { MERGE_REQUESTS_ADDRESS: _left, ...others } = needed;
  expect(() => readConfig({ ...others, PORT: '70000', SWITCHYARD_TIER: 'gold' })).toThrow(
    /^PORT: [^\n]*; SWITCHYARD_TIER: [^\n]*; MERGE_REQUESTS_ADDRESS: [^\n]*$/,
  );
});
