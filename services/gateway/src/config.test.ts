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

test.each(['everyone', '10.0.0.0/33', '10.0.0.0/8/8', 'none,loopback'])('%s names no proxies', (written) => {
  expect(() => readConfig({ ...needed, SWITCHYARD_TRUSTED_PROXIES: written })).toThrow(/^SWITCHYARD_TRUSTED_PROXIES: /);
});

test('one line names every variable at fault', () => {
  const { MERGE_REQUESTS_ADDRESS: _left, ...others } = needed;
  expect(() => readConfig({ ...others, PORT: '70000', SWITCHYARD_TIER: 'gold' })).toThrow(
    /^PORT: [^\n]*; SWITCHYARD_TIER: [^\n]*; MERGE_REQUESTS_ADDRESS: [^\n]*$/,
  );
});
