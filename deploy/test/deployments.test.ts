import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { addressVariable, httpVariable, SERVICES } from '../catalogue.mjs';

const deploy = join(__dirname, '..');
const names = SERVICES.map(({ name }) => name);
const variablesOf = (process: string): readonly string[] =>
  SERVICES.find(({ name }) => name === process)?.variables ?? [];

/** What every process takes, beside its own configuration. */
const common = ['OTEL_EXPORTER_OTLP_ENDPOINT'];

/** Where a secret may be: the variable or file that carries it, and the processes that use it. */
const holders: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(
    SERVICES.flatMap(({ requiredSecrets, secrets }) => [...requiredSecrets, ...secrets]).map((secret) => [
      secret,
      names.filter((name) => variablesOf(name).includes(secret)),
    ]),
  ),
  DATABASE_URL: SERVICES.filter(({ database }) => database).map(({ name }) => name),
};

/** Whom a process calls over gRPC and HTTP, by the addresses that it reads. */
const callsOf = (process: string, suffix: 'ADDRESS' | 'HTTP_URL'): string[] =>
  names
    .filter((name) => variablesOf(process).includes(suffix === 'ADDRESS' ? addressVariable(name) : httpVariable(name)))
    .sort();

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
      const addresses = variablesOf(name).filter((one) => /_(?:ADDRESS|HTTP_URL|KEY_FILE|KEYS_FILE)$/.test(one));
      expect(given).toEqual(expect.arrayContaining(addresses));
      for (const [secret, processes] of Object.entries(holders)) {
        expect([secret, given.includes(secret)]).toEqual([secret, processes.includes(name)]);
      }
      const stores = variablesOf(name).includes('SWITCHYARD_DATA') ? ['data:/data'] : [];
      expect(services[container]?.volumes).toEqual([...stores, `keys-${name}:/keys:ro`]);
    }
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
    const run = (env: object) =>
      spawnSync(process.execPath, [join(deploy, 'docker/keys.mjs'), join(folder, 'all'), join(folder, 'shares')], {
        env: { ...process.env, ...env },
      });
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
    rmSync(folder, { recursive: true });
  });
});

describe('the charts', () => {
  it('are one for each service and one over all, and know whom each service calls', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-charts-'));
    expect(spawnSync(process.execPath, [join(deploy, 'helm/charts.mjs'), folder]).status).toBe(0);
    expect(readdirSync(folder).sort()).toEqual([...names, 'library', 'switchyard'].sort());
    const umbrella = parse(readFileSync(join(folder, 'switchyard/Chart.yaml'), 'utf8')) as {
      dependencies: { name: string }[];
    };
    expect(umbrella.dependencies.map(({ name }) => name)).toEqual(names);
    const template = readFileSync(join(folder, 'library/templates/_catalogue.tpl'), 'utf8');
    const rows = parse(template.replaceAll(/^{{.*$/gm, '')) as Record<string, { calls: Record<string, string[]> }>;
    expect(
      Object.entries(rows).map(([name, { calls }]) => [name, calls.grpc?.toSorted(), calls.http?.toSorted()]),
    ).toEqual(names.map((name) => [name, callsOf(name, 'ADDRESS'), callsOf(name, 'HTTP_URL')]));
    rmSync(folder, { recursive: true });
  });

  const hasHelm = spawnSync('helm', ['version']).status === 0;
  const withHelm = hasHelm ? describe : describe.skip;

  withHelm('rendered (needs helm)', () => {
    interface Rendered {
      kind: string;
      metadata: { name: string; labels: Record<string, string> };
      spec: {
        clusterIP?: string;
        template: {
          spec: {
            containers: { env: { name: string; value?: string }[] }[];
            volumes: { name: string; secret?: { items: { key: string }[] } }[];
          };
        };
        ingress?: {
          ports: { port: string }[];
          from?: {
            podSelector?: { matchExpressions: { key: string; values: string[] }[] };
            namespaceSelector?: object;
          }[];
        }[];
      };
    }
    let charts: string;
    beforeAll(() => {
      charts = mkdtempSync(join(tmpdir(), 'switchyard-charts-'));
      expect(spawnSync('sh', [join(deploy, 'helm/package.sh'), charts]).status).toBe(0);
    });
    afterAll(() => rmSync(charts, { recursive: true, force: true }));

    const required = ['global.config.kafkaBrokers=kafka:9092', 'global.config.externalUrl=https://forge.example'];
    function render(chart: string, ...settings: string[]): Rendered[] {
      const all = [...required, 'global.config.s3.bucket=files', ...settings].flatMap((setting) => ['--set', setting]);
      const { stdout, stderr, status } = spawnSync('helm', ['template', 'one', join(charts, chart), ...all], {
        encoding: 'utf8',
      });
      expect([status, stderr]).toEqual([0, '']);
      return parseAllDocuments(stdout).map((document) => document.toJS() as Rendered);
    }
    const of = (all: Rendered[], kind: string, name: string): Rendered | undefined =>
      all.find((one) => one?.kind === kind && one.metadata.labels['app.kubernetes.io/name'] === name);

    it.each(names)('%s gets what the process reads, and its own keys', (name) => {
      const pod = of(render('switchyard'), 'Deployment', name)?.spec.template.spec;
      const given = pod?.containers[0]?.env.map((one) => one.name) ?? [];
      expect(given.filter((one) => ![...variablesOf(name), ...common].includes(one))).toEqual([]);
      for (const [secret, processes] of Object.entries(holders)) {
        expect([secret, given.includes(secret)]).toEqual([secret, processes.includes(name)]);
      }
      const keys = pod?.volumes.find((volume) => volume.name === 'keys')?.secret?.items.map(({ key }) => key);
      expect(keys).toEqual([
        `${name}.key`,
        ...(name === 'gateway' ? [] : ['public-keys.json']),
        ...(SERVICES.find((service) => service.name === name)?.keys.map(({ file }) => file) ?? []),
      ]);
    });

    it('calls over gRPC go to the addresses of all replicas', () => {
      const all = render('switchyard');
      const headless = all.filter((one) => one?.kind === 'Service' && one.spec.clusterIP === 'None');
      const called = all
        .filter((one) => one?.kind === 'Deployment')
        .flatMap(({ spec }) => spec.template.spec.containers[0]?.env ?? [])
        .filter((one) => one.name.endsWith('_ADDRESS'));
      const inner = names.filter((name) => name !== 'gateway').sort();
      expect(headless.map(({ metadata }) => metadata.name).sort()).toEqual(inner.map((name) => `one-${name}-grpc`));
      expect([...new Set(called.map(({ value }) => value))].sort()).toEqual(
        inner.map((name) => `one-${name}-grpc:50051`),
      );
      const elsewhere = render(
        'gateway',
        ...required.map((one) => one.replace('global.', '')),
        'peers.alerts=two.other',
      );
      const pod = of(elsewhere, 'Deployment', 'gateway')?.spec.template.spec;
      expect(pod?.containers[0]?.env.find((one) => one.name === 'ALERTS_ADDRESS')?.value).toBe('two-grpc.other:50051');
    });

    /** Port → who is let in. */
    const letIn = (policy: Rendered | undefined): string[][] =>
      (policy?.spec.ingress ?? []).map(({ ports, from }) => [
        ports[0]?.port ?? '',
        ...(from ?? []).flatMap(({ podSelector, namespaceSelector }) =>
          podSelector === undefined
            ? JSON.stringify(namespaceSelector)
            : podSelector.matchExpressions.slice(1).map(({ values }) => [...values].sort().join(' ')),
        ),
      ]);
    const monitoring = ['http', '{"matchLabels":{"kubernetes.io/metadata.name":"monitoring"}}'];

    it.each(names)('%s: inner ports are open to the pods that call it, and to what scrapes metrics', (name) => {
      const callers = (suffix: 'ADDRESS' | 'HTTP_URL') =>
        names.filter((one) => callsOf(one, suffix).includes(name)).sort();
      const inner = (['grpc', 'http'] as const)
        .map((port) => [port, callers(port === 'grpc' ? 'ADDRESS' : 'HTTP_URL').join(' '), 'one'])
        .filter(([, from]) => from !== '');
      const expected = [...(name === 'gateway' ? [['public']] : []), ...inner];
      expect(letIn(of(render('switchyard'), 'NetworkPolicy', name))).toEqual(expected);
      const scraped = render('switchyard', 'global.metricsNamespace=monitoring');
      expect(letIn(of(scraped, 'NetworkPolicy', name))).toEqual([...expected, monitoring]);
    });

    it('policies are switched chart by chart, and know the releases of charts that stand alone', () => {
      const without = render('switchyard', 'alerts.networkPolicy.enabled=false');
      expect(names.filter((name) => of(without, 'NetworkPolicy', name) !== undefined)).toEqual(
        names.filter((name) => name !== 'alerts'),
      );
      const config = required.map((setting) => setting.replace('global.', ''));
      expect(of(render('groups-admin', ...config), 'NetworkPolicy', 'groups-admin')).toBeUndefined();
      const alone = render(
        'groups-admin',
        ...config,
        'networkPolicy.enabled=true',
        'networkPolicy.releases={two,three}',
      );
      expect(letIn(of(alone, 'NetworkPolicy', 'groups-admin'))).toEqual([
        [
          'grpc',
          names
            .filter((name) => name !== 'groups-admin')
            .sort()
            .join(' '),
          'one three two',
        ],
      ]);
    });
  });
});
