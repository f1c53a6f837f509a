import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { webAddress } from '@switchyard/config';
import { KAFKA_SETTINGS } from '../catalogue.mjs';
import { readEnvironment, VARIABLES } from '../local/environment.mjs';

const folders = { root: '/clone', cwd: '/elsewhere' };
const read = (env: Record<string, string>) => readEnvironment(env, folders);

describe('the environment', () => {
  it('has a default for everything', () => {
    expect(read({})).toEqual({
      port: 8080,
      host: '127.0.0.1',
      data: '/clone/.switchyard',
      rootToken: undefined,
      tier: 'ultimate',
      externalUrl: 'http://127.0.0.1:8080',
      secret: undefined,
      databaseUrl: undefined,
      kafkaBrokers: undefined,
      maxDeaths: 5,
      restartPauseMs: 5_000,
    });
  });

  it('takes an empty value as unset', () => {
    expect(read({ PORT: '', SWITCHYARD_TIER: ' ' })).toEqual(read({}));
  });

  it.each([
    [{ PORT: '9090' }, { port: 9090, externalUrl: 'http://127.0.0.1:9090' }],
    [{ HOST: '0.0.0.0' }, { host: '0.0.0.0', externalUrl: 'http://127.0.0.1:8080' }],
    [{ HOST: '::1' }, { externalUrl: 'http://[::1]:8080' }],
    [{ SWITCHYARD_DATA: 'data' }, { data: '/elsewhere/data' }],
    [{ SWITCHYARD_DATA: '/srv/../srv/data' }, { data: '/srv/data' }],
    [{ SWITCHYARD_TIER: 'free' }, { tier: 'free' }],
    [{ SWITCHYARD_EXTERNAL_URL: 'https://forge.example/path/' }, { externalUrl: 'https://forge.example/path' }],
    [{ SWITCHYARD_ROOT_TOKEN: 'x'.repeat(20) }, { rootToken: 'x'.repeat(20) }],
    [{ SWITCHYARD_SECRET: 's'.repeat(32) }, { secret: 's'.repeat(32) }],
    [{ DATABASE_URL: 'postgres://admin@db.example/postgres' }, { databaseUrl: 'postgres://admin@db.example/postgres' }],
    [{ KAFKA_BROKERS: 'one:9092, [::1]:9093' }, { kafkaBrokers: 'one:9092,[::1]:9093' }],
  ])('reads %j', (env, expected) => {
    expect(read(env as Record<string, string>)).toMatchObject(expected);
  });

  it.each([
    ['PORT', '0'],
    ['PORT', '65536'],
    ['PORT', '80a'],
    ['PORT', '-1'],
    ['SWITCHYARD_TIER', 'gold'],
    ['SWITCHYARD_ROOT_TOKEN', 'x'.repeat(19)],
    ['SWITCHYARD_ROOT_TOKEN', `with blank ${'x'.repeat(20)}`],
    ['SWITCHYARD_SECRET', 's'.repeat(31)],
    ['SWITCHYARD_EXTERNAL_URL', 'forge.example'],
    ['SWITCHYARD_EXTERNAL_URL', 'ftp://forge.example'],
    ['SWITCHYARD_EXTERNAL_URL', 'https://forge.example/?a=1'],
    ['SWITCHYARD_EXTERNAL_URL', 'https://user:password@forge.example'],
    ['DATABASE_URL', 'mysql://root@db.example'],
    ['DATABASE_URL', 'postgresql://db.example/postgres'],
    ['KAFKA_BROKERS', 'one'],
    ['KAFKA_BROKERS', 'one:9092,'],
    ['KAFKA_BROKERS', 'one:99999'],
    ['SMTP_URL', 'mail.example:25'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
    ['S3_ENDPOINT', 's3.example'],
    ['LOG_LEVEL', 'loud'],
  ])('refuses %s=%s in one line that names it', (name, value) => {
    expect(() => read({ [name]: value })).toThrow(new RegExp(`^${name} must [^\\n]+$`));
  });

  it.each([
    'https://forge.example/path//',
    'HTTP://forge.example:8080',
    'http://[::1]:8080',
    'http://127.0.0.1/?',
    'https://forge.example/#',
    'https://forge.example/?a=1#b',
    'https://user@forge.example',
    'https://:password@forge.example',
    'http:forge.example',
    'http:///forge.example',
    'https://forge.example:99999',
    'https://for ge.example',
    'ftp://forge.example',
    'forge.example',
  ])('takes and refuses addresses as the processes do: %s', (written) => {
    const { success, data, error } = webAddress().safeParse(written);
    const outcome = () => read({ SWITCHYARD_EXTERNAL_URL: written }).externalUrl;
    if (success) expect(outcome()).toBe(data);
    else expect(outcome).toThrow(`SWITCHYARD_EXTERNAL_URL ${error.issues[0]?.message}`);
  });

  it('asks for a bucket when S3 is configured', () => {
    expect(() => read({ S3_ENDPOINT: 'https://s3.example' })).toThrow(/^S3_BUCKET must be set when S3_ENDPOINT is$/);
  });

  it('is documented variable by variable', () => {
    const page = readFileSync(join(__dirname, '../../docs/operations.md'), 'utf8');
    expect([...VARIABLES, ...KAFKA_SETTINGS].filter((name: string) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
