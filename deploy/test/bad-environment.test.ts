import { parseEnvironment, type z } from '@switchyard/config';
import { type BlobConfig, blobVariables, openBlobStore } from '../../libs/blobs/src';
import { busVariables } from '../../libs/config/src';
import { openBus } from '../../libs/events/src';
import { variables as collaboration } from '../../services/collaboration/src/edges';
import { variables as groupsAdmin } from '../../services/groups-admin/src/edges';
import { gitLimitsOf, variables as mergeRequests } from '../../services/merge-requests/src/edges';
import { variables as packages } from '../../services/packages/src/edges';

/** What of `shape` is needed does not matter here. */
const optional = (shape: z.ZodRawShape) =>
  Object.fromEntries(Object.entries(shape).map(([name, type]) => [name, (type as z.ZodType).optional()]));
const read = (shape: z.ZodRawShape) => async (environment: Record<string, string>) =>
  parseEnvironment(optional(shape), environment);

const readers = {
  collaboration: read(collaboration),
  'groups-admin': read(groupsAdmin),
  packages: read(packages),
  'merge-requests': async (environment: Record<string, string>) =>
    gitLimitsOf((await read(mergeRequests)(environment)) as never),
  'the store of files': async (environment: Record<string, string>) =>
    openBlobStore(parseEnvironment(blobVariables, environment) as BlobConfig),
  'the bus': async (environment: Record<string, string>) =>
    openBus(parseEnvironment(busVariables, environment)).close(),
};

const places = { SWITCHYARD_GIT_PLACES: '4' };
const bucket = { S3_BUCKET: 'files' };
const log = { LOG_DATABASE_URL: 'postgresql://log' };

describe.each<[keyof typeof readers, [string, Record<string, string>][], Record<string, string>[]]>([
  [
    'collaboration',
    [
      ['SMTP_URL', { SMTP_URL: 'smtp://mail:25?requireTLS=perhaps' }],
      ['SMTP_URL', { SMTP_URL: 'smtp://mail:25?requireTLS=true&ignoreTLS=true' }],
      ['SMTP_URL', { SMTP_URL: 'http://mail:25' }],
      ['SWITCHYARD_DATA', { SWITCHYARD_DATA: __filename }],
      ['SWITCHYARD_APPLICATION_LIMITS', { SWITCHYARD_APPLICATION_LIMITS: '0x1' }],
    ],
    [{ SMTP_URL: 'smtp://user:password@mail.example:587?requireTLS=true' }],
  ],
  [
    'groups-admin',
    [['SWITCHYARD_ROOT_TOKEN', { SWITCHYARD_ROOT_TOKEN: 'a token of the root with blanks' }]],
    [{ SWITCHYARD_ROOT_TOKEN: 'x'.repeat(20) }],
  ],
  [
    'packages',
    [
      ['SWITCHYARD_GENERIC_PACKAGE_LIMIT', { SWITCHYARD_GENERIC_PACKAGE_LIMIT: '9'.repeat(20) }],
      ['SWITCHYARD_NPM_FORWARD_URL', { SWITCHYARD_NPM_FORWARD_URL: 'ftp://registry.example' }],
    ],
    [{ SWITCHYARD_NPM_FORWARD_URL: 'https://registry.example/' }],
  ],
  [
    'merge-requests',
    [
      ['SWITCHYARD_GIT_PLACES_PER_PROJECT', { ...places, SWITCHYARD_GIT_PLACES_PER_PROJECT: '5' }],
      ['SWITCHYARD_GIT_PLACES_PER_CALLER', { ...places, SWITCHYARD_GIT_PLACES_PER_CALLER: '100' }],
    ],
    [{ ...places, SWITCHYARD_GIT_PLACES_PER_PROJECT: '4', SWITCHYARD_GIT_PLACES_PER_CALLER: '4' }],
  ],
  [
    'the store of files',
    [
      ['S3_BUCKET', { S3_ENDPOINT: 'http://one.example' }],
      ['S3_BUCKET', { S3_ACCESS_KEY_ID: 'one', S3_SECRET_ACCESS_KEY: 'two' }],
      ['S3_BUCKET', { S3_CA_FILE: __filename }],
      ['S3_BUCKET', { S3_SIGNED_DOWNLOADS: 'true' }],
      ['S3_BUCKET', { S3_BUCKET: 'Bad Bucket!!' }],
      ['S3_ENDPOINT', { ...bucket, S3_ENDPOINT: 'ftp://one.example' }],
      ['S3_CA_FILE', { ...bucket, S3_ENDPOINT: 'HTTP://one.example', S3_CA_FILE: __filename }],
    ],
    [{ S3_REGION: 'us-east-1', S3_SIGNED_DOWNLOADS: 'false', S3_ENDPOINT: '' }],
  ],
  [
    'the bus',
    [
      ['LOG_DATABASE_URL', { ...log, KAFKA_BROKERS: 'one:9092' }],
      ['KAFKA_BROKERS', { ...log, KAFKA_TLS: 'true' }],
      ['KAFKA_BROKERS', {}],
    ],
    [log],
  ],
])('%s', (name, refused, taken) => {
  const run = readers[name];

  test.each(refused)('names %s in one line for %j', async (variable, environment) => {
    await expect(run(environment)).rejects.toThrow(new RegExp(`^${variable}: [^\\n;]+$`));
  });

  test.each(taken)('takes %j', async (environment) => {
    await expect(run(environment)).resolves.not.toThrow();
  });
});
