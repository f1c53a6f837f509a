import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { SERVICES } from '../catalogue.mjs';
import { DASHBOARDS } from '../monitoring/dashboards.mjs';
import { common, deploy, holders, names, variablesOf } from './support/processes';

test('the secret of the instance and the token of its administrator stay with groups-admin', () => {
  expect(holders.SWITCHYARD_SECRET).toEqual(['groups-admin']);
  expect(holders.SWITCHYARD_ROOT_TOKEN).toEqual(['groups-admin']);
});

describe('the compose file', () => {
  interface Container {
    command?: string[];
    environment?: Record<string, string>;
    volumes?: string[];
  }
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-compose-'));
  const file = join(folder, 'compose.yaml');
  let text: string;
  let services: Record<string, Container>;
  beforeAll(() => {
    expect(spawnSync(process.execPath, [join(deploy, 'compose/compose.mjs'), file]).status).toBe(0);
    text = readFileSync(file, 'utf8');
    services = parse(text, { merge: true }).services as Record<string, Container>;
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(names)('%s, and its migrations, get what the process reads, and nothing else', (name) => {
    for (const container of name === 'gateway' ? [name] : [name, `migrate-${name}`]) {
      const given = Object.keys(services[container]?.environment ?? {});
      expect(given.filter((one) => ![...variablesOf(name), ...common].includes(one))).toEqual([]);
      expect(given).toEqual(expect.arrayContaining([...common, 'SWITCHYARD_DRAIN_SECONDS']));
      const addresses = variablesOf(name).filter((one) =>
        /^(?!KAFKA_).*_(?:ADDRESS|HTTP_URL|KEY_FILE|KEYS_FILE)$/.test(one),
      );
      expect(given).toEqual(expect.arrayContaining(addresses));
      for (const [secret, processes] of Object.entries(holders)) {
        expect([secret, given.includes(secret)]).toEqual([secret, processes.includes(name)]);
      }
      const stores = variablesOf(name).includes('SWITCHYARD_DATA') ? ['data:/data'] : [];
      expect(services[container]?.volumes).toEqual([...stores, `keys-${name}:/keys:ro`]);
    }
  });

  it('waits for Kafka, and watches all services where the profile `monitoring` is chosen', () => {
    const compose = parse(text, { merge: true }) as {
      services: Record<
        string,
        { profiles?: string[]; command?: string[]; healthcheck?: object; depends_on?: Record<string, object> }
      >;
      configs: Record<string, { content: string }>;
      volumes: Record<string, null>;
    };
    expect(compose.services.kafka?.healthcheck).toBeDefined();
    for (const name of names.filter((one) => one !== 'gateway')) {
      expect(compose.services[name]?.depends_on?.kafka).toEqual({ condition: 'service_healthy' });
    }
    const watching = Object.entries(compose.services).filter(([, { profiles }]) => profiles?.includes('monitoring'));
    expect(watching.map(([name]) => name)).toEqual(['collector', 'tempo', 'prometheus', 'grafana']);
    const content = (name: string) => JSON.parse(compose.configs[name]?.content.replaceAll('$$', '$') ?? '');
    const scraped = content('prometheus').scrape_configs.map(({ job_name: job }: { job_name: string }) => job);
    expect(scraped.sort()).toEqual([...names].sort());
    expect(compose.services.prometheus?.command).toContain('--enable-feature=exemplar-storage');
    const [prometheus, tempo] = content('grafana-sources').datasources;
    const traces = [{ name: 'trace_id', datasourceUid: tempo.uid }];
    expect(prometheus.jsonData.exemplarTraceIdDestinations).toEqual(traces);
    expect(content('switchyard-trains')).toEqual(DASHBOARDS['switchyard-trains.json']);
    const used = watching.flatMap(([, one]) => (one as { configs?: { source: string }[] }).configs ?? []);
    expect(used.map(({ source }) => source).sort()).toEqual(Object.keys(compose.configs).sort());
  });

  it('has a password for each database, and all that it asks for from one script', () => {
    const passwords = names.flatMap(
      (name) => /:(\$\{\w+)/.exec(services[name]?.environment?.DATABASE_URL ?? '')?.[1] ?? [],
    );
    expect(new Set(passwords).size).toBe(names.length - 1);
    const wanted = [...new Set([...text.matchAll(/\$\{(\w+):\?/g)].map(([, variable]) => variable))].sort();
    const { stdout } = spawnSync('sh', [join(deploy, 'compose/secrets.sh'), file], { encoding: 'utf8' });
    const made = [...stdout.matchAll(/^(\w+)=[0-9a-f]{64}$/gm)].map(([, variable]) => variable).sort();
    expect(made).toEqual(wanted);
  });

  it('makes a database for each password', () => {
    const recorder = join(folder, 'bin');
    mkdirSync(recorder);
    writeFileSync(join(recorder, 'psql'), '#!/bin/sh\nshift 2\necho "$@" && cat > /dev/null\n', { mode: 0o755 });
    const { stdout } = spawnSync('sh', [join(deploy, 'compose/databases.sh')], {
      encoding: 'utf8',
      env: { PATH: `${recorder}:${process.env.PATH}`, ...services.postgres?.environment, POSTGRES_PASSWORD: 'other' },
    });
    const made = [...stdout.matchAll(/--set name=(\w+) /g)].map(([, database]) => database);
    expect(made.sort()).toEqual(SERVICES.flatMap(({ database }) => database ?? []).sort());
  });

  it('hands each process its own keys', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-keys-'));
    const run = (env: object, ...options: string[]) =>
      spawnSync(
        process.execPath,
        [join(deploy, 'docker/keys.mjs'), ...options, join(folder, 'all'), join(folder, 'shares')],
        { env: { ...process.env, ...env } },
      );
    expect(run({ SWITCHYARD_SECRET: '' }).status).toBe(1);
    expect(run({ SWITCHYARD_SECRET: 's'.repeat(32) }).status).toBe(0);
    const has = (name: string, file: string) => existsSync(join(folder, 'shares', name, file));
    const derived = ['alert-digest.key', 'mail-links.key', 'merge-requests-secrets.key'];
    for (const file of ['public-keys.json', ...derived, ...names.map((name) => `${name}.key`)]) {
      const expected = {
        'public-keys.json': names.filter((name) => name !== 'gateway'),
        'alert-digest.key': names.filter((name) => variablesOf(name).includes('SWITCHYARD_ALERT_DIGEST_KEY_FILE')),
        'mail-links.key': ['collaboration'],
        'merge-requests-secrets.key': ['merge-requests'],
      }[file] ?? [file.replace('.key', '')];
      expect([file, names.filter((name) => has(name, file))]).toEqual([file, expected]);
    }

    const ofGateway = () => {
      const read = (...path: string[]) => readFileSync(join(folder, 'shares', ...path), 'utf8');
      const believed: string = JSON.parse(read('alerts', 'public-keys.json')).gateway;
      return { own: read('gateway', 'gateway.key'), believed: believed.match(/BEGIN/g)?.length };
    };
    const before = ofGateway();
    const secret = { SWITCHYARD_SECRET: 's'.repeat(32) };
    expect(run(secret, '--rotate=all').status).toBe(1);
    expect(run(secret, '--rotate=prepare').status).toBe(0);
    expect(ofGateway()).toEqual({ own: before.own, believed: 2 });
    expect(run(secret, '--rotate=swap').status).toBe(0);
    // A step that is taken again changes nothing.
    const swapped = ofGateway();
    expect(run(secret, '--rotate=swap').status).toBe(0);
    expect(ofGateway()).toEqual(swapped);
    expect([swapped.own === before.own, swapped.believed]).toEqual([false, 2]);
    expect(run(secret, '--rotate=finish').status).toBe(0);
    expect(ofGateway()).toEqual({ own: swapped.own, believed: 1 });
    rmSync(folder, { recursive: true });
  });
});
