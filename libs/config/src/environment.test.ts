import {
  busVariables,
  dataFolder,
  decimalNumber,
  hostPort,
  parseEnvironment,
  rate,
  serviceVariables,
  webAddress,
  wholeNumber,
} from '.';

const shape = {
  WHOLE: wholeNumber(1, 4_096).optional(),
  LIMITS: decimalNumber(0, 1_000).default(1),
  PEER_ADDRESS: hostPort().optional(),
  PEER_HTTP_URL: webAddress().optional(),
  RATE: rate().optional(),
  DATA: dataFolder(),
  ...busVariables,
};
const { SWITCHYARD_EXTERNAL_URL, GRPC_PORT } = serviceVariables;
const read = (environment: Record<string, string>) =>
  parseEnvironment({ ...shape, SWITCHYARD_EXTERNAL_URL, GRPC_PORT }, environment);

test.each<[string, string, unknown]>([
  ['WHOLE', '4096', 4_096],
  ['WHOLE', ' 7\n', 7],
  ['LIMITS', '0', 0],
  ['LIMITS', '0.25', 0.25],
  ['PEER_ADDRESS', 'one-grpc.other:50051', 'one-grpc.other:50051'],
  ['PEER_ADDRESS', '[::1]:1', '[::1]:1'],
  ['PEER_HTTP_URL', 'http://one:8081/', 'http://one:8081'],
  ['SWITCHYARD_EXTERNAL_URL', 'https://forge.example/path//', 'https://forge.example/path'],
  ['RATE', '3600/3600', { requests: 3_600, seconds: 3_600 }],
  ['DATA', '/nowhere/at/all', '/nowhere/at/all'],
  ['LOG_DATABASE_URL', 'postgresql://user@/log?host=/socket', 'postgresql://user@/log?host=/socket'],
])('%s=%s is taken', (name, value, expected) => {
  expect(read({ [name]: value })).toHaveProperty(name, expected);
});

test.each([
  ['WHOLE', '0'],
  ['WHOLE', '4097'],
  ['WHOLE', '0x10'],
  ['WHOLE', '1e3'],
  ['WHOLE', '1.5'],
  ['WHOLE', '-1'],
  ['WHOLE', '99999999999999999999'],
  ['LIMITS', 'Infinity'],
  ['LIMITS', '1000.5'],
  ['GRPC_PORT', '0x10'],
  ['GRPC_PORT', '65536'],
  ['PEER_ADDRESS', 'garbage'],
  ['PEER_ADDRESS', 'http://127.0.0.1:1'],
  ['PEER_ADDRESS', '127.0.0.1:0'],
  ['PEER_HTTP_URL', 'not a url'],
  ['PEER_HTTP_URL', '127.0.0.1:99'],
  ['SWITCHYARD_EXTERNAL_URL', 'ftp://forge.example'],
  ['SWITCHYARD_EXTERNAL_URL', 'http://forge.example/?a=b'],
  ['SWITCHYARD_EXTERNAL_URL', 'http://user:CANARY@forge.example'],
  ['RATE', '0/60'],
  ['RATE', '10/0'],
  ['RATE', '99999999999999999999/1'],
  ['RATE', '1/86401'],
  ['DATA', __filename],
  ['DATA', `${__filename}/below`],
  ['LOG_DATABASE_URL', 'garbage'],
  ['KAFKA_REPLICATION_FACTOR', '0'],
])('%s=%s is refused in one line that names it, and does not repeat it', (name, value) => {
  const refused = expect(() => read({ [name]: value }));
  refused.toThrow(new RegExp(`^${name}: (?:must|is not a folder)[^\\n;]*$`));
  refused.not.toThrow(/CANARY/);
});

test('a value of blanks counts as unset', () => {
  expect(read({ WHOLE: ' ', LIMITS: '\t', DATA: '' })).toEqual(read({}));
});

test('a variable at fault twice is named once', () => {
  expect(() => read({ SWITCHYARD_EXTERNAL_URL: 'ftp://user@forge.example/?a' })).toThrow(
    /^SWITCHYARD_EXTERNAL_URL: must be a URL beginning with http:\/\/ or https:\/\/$/,
  );
});
