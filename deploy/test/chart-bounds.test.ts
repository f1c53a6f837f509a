import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { z } from '@switchyard/config';
import Ajv, { type ValidateFunction } from 'ajv';
import { telemetryVariables } from '../../libs/telemetry/src/tracing';
import { SERVICES } from '../catalogue.mjs';
import { deploy, names } from './support/processes';

jest.mock('@switchyard/config', () => ({
  ...jest.requireActual('@switchyard/config'),
  parseEnvironment: (shape: object) => shape,
}));

type Shape = Readonly<Record<string, z.ZodType>>;

/** What a process reads of its environment. */
async function shapeOf(name: string): Promise<Shape> {
  const source = join(deploy, '../services', name, 'src');
  const own = existsSync(join(source, 'service.ts'))
    ? (await import(join(source, 'service'))).service.readConfig()
    : (await import(join(source, 'config'))).readConfig();
  return { ...own, ...telemetryVariables };
}

/** Values from which charts make variables: `set` puts what a variable shall be into a chart's values. */
const behind: Readonly<Record<string, { chart: string; set: (value: unknown) => object; numbers?: boolean }>> = {
  SWITCHYARD_DRAIN_SECONDS: { chart: 'alerts', set: (drainSeconds) => ({ drainSeconds }), numbers: true },
  SWITCHYARD_GIT_PLACES: { chart: 'merge-requests', set: (places) => ({ git: { places } }), numbers: true },
  SWITCHYARD_GIT_MEMORY_MB: {
    ...{ chart: 'merge-requests', numbers: true },
    set: (processMemory) => ({ git: { processMemory } }),
  },
  KAFKA_REPLICATION_FACTOR: {
    ...{ chart: 'alerts', numbers: true },
    set: (replicationFactor) => ({ config: { kafka: { replicationFactor } } }),
  },
  KAFKA_BROKERS: { chart: 'alerts', set: (kafkaBrokers) => ({ global: { config: { kafkaBrokers } } }) },
  KAFKA_SASL_MECHANISM: { chart: 'alerts', set: (saslMechanism) => ({ config: { kafka: { saslMechanism } } }) },
  KAFKA_OAUTH_TOKEN_URL: { chart: 'alerts', set: (oauthTokenUrl) => ({ config: { kafka: { oauthTokenUrl } } }) },
  SWITCHYARD_TIER: { chart: 'alerts', set: (tier) => ({ config: { tier } }) },
  SWITCHYARD_EXTERNAL_URL: { chart: 'gateway', set: (externalUrl) => ({ global: { config: { externalUrl } } }) },
  OTEL_EXPORTER_OTLP_ENDPOINT: { chart: 'gateway', set: (otlpEndpoint) => ({ config: { otlpEndpoint } }) },
  S3_BUCKET: { chart: 'alerts', set: (bucket) => ({ config: { s3: { bucket } } }) },
  S3_ENDPOINT: { chart: 'alerts', set: (endpoint) => ({ config: { s3: { endpoint } } }) },
  SWITCHYARD_TRUSTED_PROXIES: { chart: 'gateway', set: (one) => ({ trustedProxies: String(one).split(',') }) },
};

/** Variables with a form that charts leave to the process. */
const leftToProcess = [
  // Names, addresses and ranges, with ports and without.
  'SWITCHYARD_OUTBOUND_ALLOWED',
];

/** What an operator might write, right or wrong, beside the bounds of numbers. */
const texts = [
  ...['nonsense', 'some thing!', 'true', 'TRUE', 'false', 'off', 'perhaps', '1', '0', '5', '-1', '1.5', '0.5', '0.4'],
  ...['0x10', '1e3', 'info', 'loud', 'INFO', 'ultimate', 'gold', 'reaction', 'note', 'PLAIN', 'SCRAM', 'none'],
  ...['http://forge.example', 'HTTPS://forge.example:8443/x', 'http://[::1]:8080', 'http://10.0.0.1/'],
  ...['ftp://forge.example', 'forge.example', 'http://', 'http://forge.example:70000', 'http://a b'],
  ...['10/60', '0/60', '10/0', '10', '10/86400', '10/86401', '1000000000/1', '1000000001/1', '10/60/1'],
  ...[
    'kafka:9092',
    'kafka',
    'kafka:0',
    'kafka:65535',
    'kafka:65536',
    'one:1,two:2',
    'one:1, two:2',
    'one:1,,',
    '[::1]:9092',
  ],
  ...['10.0.0.0/8', '10.0.0.0/0', '10.0.0.0/33', '10.0.0.1', '300.0.0.1', '10.0.0', 'fd00::/8', 'fd00::/129', '::1'],
  ...['uniquelocal', '10.0.0.0/8,loopback', '10.0.0.0/8,nonsense', 'us@forge.example', 'us@', 'Us <us@forge.example>'],
  ...[
    'default:1',
    'default:1,fast:101',
    'default:0,fast:2',
    'default:0,fast:0',
    'fast=git:1/2,slow=[::1]:1/2',
    'fast=git:1',
    'default',
    'files',
    'Bad Bucket!!',
    'a',
    'x'.repeat(256),
  ],
  // Blanks around a value, and between those of a list.
  ...[
    ' kafka:9092',
    'kafka:9092\n',
    'one:1,\ntwo:2',
    'one:1\t,two:2',
    ' 7 ',
    ' true\n',
    'info\n',
    ' ultimate',
    ' files',
  ],
  ...['10.0.0.0/8\n', '::1,\n10.0.0.1', ' http://forge.example\n', 'default:1,\n fast:2', 'PLAIN\n'],
  ...[
    '1:2:3:4:5:6:7::',
    '::2:3:4:5:6:7:8',
    '::1.2.3.4',
    '::ffff:10.0.0.1',
    '2001:db8:1:2:3:4:5::/112',
    '1:2',
    '1:10.0.0.1',
  ],
];
/** What only some variables take: a query, or a login. */
const furtherAddresses = ['http://forge.example/?x=1', 'http://us:them@forge.example', 'http://us:th@em@forge.example'];

/** Whether a process takes a value, without the blanks around it. */
const takes = (type: z.ZodType, value: unknown): boolean => type.safeParse(String(value).trim()).success;

/** Values within and without the bounds that a refusal names, as `env` may have them. */
function candidates(type: z.ZodType): (string | number)[] {
  const { error } = type.safeParse('nonsense');
  const bounds = /from ([\d.]+) to ([\d.]+)$/.exec(error?.issues[0]?.message ?? '');
  const numbers = (bounds ?? []).slice(1).flatMap((bound) => [Number(bound) - 1, Number(bound), Number(bound) + 1]);
  const around =
    bounds === null ? [] : [...numbers, (Number(bounds[1]) + Number(bounds[2])) / 2, Number(bounds[2]) + 0.5];
  return [...texts, ...furtherAddresses, ...around.flatMap((one) => [one, String(one)])];
}

describe('what charts take and what processes take', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-bounds-'));
  const validators = new Map<string, ValidateFunction>();
  const accepts = (chart: string, values: object): boolean => validators.get(chart)?.(values) === true;
  const shapes = new Map<string, Shape>();

  beforeAll(async () => {
    expect(spawnSync(process.execPath, [join(deploy, 'helm/charts.mjs'), folder]).status).toBe(0);
    for (const name of names) {
      const schema = JSON.parse(readFileSync(join(folder, name, 'values.schema.json'), 'utf8'));
      validators.set(name, new Ajv({ strict: false }).compile(schema));
      shapes.set(name, await shapeOf(name));
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(SERVICES)('variables of $name under env', ({ name, settings }) => {
    const shape = shapes.get(name) ?? {};
    const inEnv = Object.keys(shape).filter((variable) =>
      [
        ...settings,
        ...Object.keys(telemetryVariables),
        ...Object.keys(shape).filter((one) => /^KAFKA_[^B]/.test(one)),
      ].includes(variable),
    );
    const differing = inEnv.flatMap((variable) => {
      // Values of their own, or left to the process.
      if (/^S3_|^SWITCHYARD_GIT_(?:PLACES|MEMORY_MB)$/.test(variable) || leftToProcess.includes(variable)) return [];
      const type = shape[variable] as z.ZodType;
      return candidates(type)
        .filter((value) => takes(type, value) !== accepts(name, { env: { [variable]: value } }))
        .map((value) => [variable, value]);
    });
    expect(differing).toEqual([]);
    expect(inEnv.length).toBeGreaterThan(3);
  });

  it.each(Object.entries(behind))('the value behind %s', (variable, { chart, set, numbers }) => {
    const type = shapes.get(chart)?.[variable] as z.ZodType;
    const tried = candidates(type).filter((value) => numbers === undefined || typeof value === 'number');
    const differing = tried.filter(
      // A list that says `none` is an empty one.
      (value) => value !== 'none' && takes(type, value) !== accepts(chart, set(value)),
    );
    expect(differing).toEqual([]);
    expect(tried.some((value) => accepts(chart, set(value)))).toBe(true);
    expect(tried.some((value) => !accepts(chart, set(value)))).toBe(true);
  });

  it('hosts of peers', () => {
    const [type] = Object.entries(shapes.get('alerts') ?? {}).flatMap(([name, one]) =>
      name === 'GROUPS_ADMIN_ADDRESS' ? one : [],
    );
    for (const host of ['groups-admin', 'groups-admin.forge', '10.0.0.1', 'a b', 'http://a', 'us@a', 'a:1']) {
      const isTaken = type?.safeParse(`${host}:50051`).success;
      expect([host, accepts('alerts', { peers: { 'groups-admin': host } })]).toEqual([host, isTaken]);
    }
  });

  it.each<[boolean, object]>([
    [true, { digest: `sha256:${'0a'.repeat(32)}` }],
    [true, { digest: `sha512:${'0a'.repeat(64)}` }],
    [false, { digest: `sha512:${'0a'.repeat(32)}` }],
    [true, { digest: '', tag: '' }],
    [false, { digest: 'abc' }],
    [false, { digest: `sha256:${'0A'.repeat(32)}` }],
    [true, { tag: 20_261_128 }],
    [true, { tag: 'v1.2_3-rc.1' }],
    [false, { tag: 'v1 2' }],
    [false, { tag: '-v1' }],
    [false, { tag: -1 }],
  ])('%s: the image %j', (isTaken, image) => {
    expect(accepts('alerts', { image })).toBe(isTaken);
    expect(accepts('alerts', { global: { image } })).toBe(isTaken);
  });
});
