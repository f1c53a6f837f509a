import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import { cycloneDxFaults } from '@switchyard/testkit/replies';
import Ajv from 'ajv';
import { parse, parseAllDocuments } from 'yaml';
import { lanes } from '../../services/merge-requests/src/jobs/domain/job';
import { addressVariable, httpVariable, SERVICES } from '../catalogue.mjs';
import { copyTree } from '../local/copy-tree.mjs';
import { DASHBOARDS } from '../monitoring/dashboards.mjs';
import { ruleGroups } from '../monitoring/rules.mjs';
import { REQUIRED, SETTINGS } from './support/chart-settings';

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

test('the image gets what runs: programs, migrations and what pages are made of, and neither types nor tests', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-runtime-'));
  expect(spawnSync(process.execPath, [join(deploy, 'docker/runtime.mjs'), folder]).status).toBe(0);
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  for (const { name, database } of SERVICES) {
    expect(files).toContain(`services/${name}/dist/main.js`);
    if (database) expect(files.some((file) => file.startsWith(`services/${name}/prisma/migrations/`))).toBe(true);
  }
  expect(files).toEqual(
    expect.arrayContaining([
      'libs/events/migrations',
      'libs/machine/src/ports.mjs',
      'services/gateway/src/pages/trains/browser/page.css',
      'deploy/docker/backup-files.mjs',
      'deploy/docker/tour.mjs',
    ]),
  );
  expect(files.filter((file) => /\.(?:ts|tsx|map)$|\/test\/|^libs\/testkit|node_modules/.test(file))).toEqual([]);
  rmSync(folder, { recursive: true });
});

test('the bill of materials of an image has what lies in it, and what needs what', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-bill-'));
  const write = (path: string, content: string, mode?: number) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content, { mode });
  };
  const integrity = `sha512-${Buffer.alloc(64, 1).toString('base64')}`;
  const packages = {
    'services/alerts': { name: '@switchyard/alerts', dependencies: { a: '1', '@scope/b': '2', absent: '1' } },
    'node_modules/@switchyard/alerts': { resolved: 'services/alerts', link: true },
    'node_modules/a': { version: '1.0.0', license: 'MIT', integrity, dependencies: { c: '1' } },
    'node_modules/@scope/b': { version: '2.0.0', license: '(MIT OR Apache-2.0)', dependencies: { c: '2' } },
    'node_modules/@scope/b/node_modules/c': { version: '2.1.0', license: 'MIT and ISC' },
    'node_modules/c': { version: '1.1.0' },
    'node_modules/alias': { name: 'c', version: '1.1.0' },
  };
  write('switchyard/package.json', '{ "version": "0.1.0" }');
  write('switchyard/node_modules/.package-lock.json', JSON.stringify({ packages }));
  write('etc/os-release', 'ID=debian\nVERSION_ID="12"\n');
  write('usr/local/bin/node', '#!/bin/sh\necho v24.1.2\n', 0o755);
  const debian = [
    'Package: git\nStatus: install ok installed\nArchitecture: amd64\nVersion: 1:2.39.5-0+deb12u2\nDepends: libc6 (>= 2.34), perl | x',
    'Package: libc6\nStatus: install ok installed\nArchitecture: amd64\nVersion: 2.36-9\nDescription: C\n more: text',
    'Package: perl\nStatus: deinstall ok config-files\nArchitecture: amd64\nVersion: 5.36',
  ];
  write('var/lib/dpkg/status', `${debian.join('\n\n')}\n`);
  const file = join(folder, 'bill.json');
  const { status, stderr } = spawnSync(process.execPath, [join(deploy, 'docker/sbom.mjs'), file, folder]);
  expect([status, String(stderr)]).toEqual([0, '']);
  const text = readFileSync(file, 'utf8');
  expect(cycloneDxFaults('1.6', JSON.parse(text))).toBeNull();
  const bill = JSON.parse(text) as {
    components: { purl: string; licenses?: object[]; hashes?: object[] }[];
    dependencies: { ref: string; dependsOn?: string[] }[];
  };
  const git = 'pkg:deb/debian/git@1:2.39.5-0+deb12u2?arch=amd64&distro=debian-12';
  const libc = 'pkg:deb/debian/libc6@2.36-9?arch=amd64&distro=debian-12';
  const [a, b] = ['pkg:npm/a@1.0.0', 'pkg:npm/%40scope/b@2.0.0'];
  const [c1, c2] = ['pkg:npm/c@1.1.0', 'pkg:npm/c@2.1.0'];
  const node = 'pkg:generic/node@24.1.2';
  expect(bill.components.map(({ purl }) => purl).sort()).toEqual([a, b, c1, c2, git, libc, node].sort());
  const its = (ref: string) => bill.components.find(({ purl }) => purl === ref);
  expect(its(a)?.hashes).toEqual([{ alg: 'SHA-512', content: '01'.repeat(64) }]);
  expect([a, b, c2, c1].map((ref) => its(ref)?.licenses)).toEqual([
    [{ license: { id: 'MIT' } }],
    [{ expression: '(MIT OR Apache-2.0)' }],
    [{ license: { name: 'MIT and ISC' } }],
    undefined,
  ]);
  const needs = Object.fromEntries(bill.dependencies.map(({ ref, dependsOn }) => [ref, dependsOn?.toSorted()]));
  expect(needs).toMatchObject({ switchyard: [a, b, git, libc, node].sort(), [a]: [c1], [b]: [c2], [git]: [libc] });
  rmSync(folder, { recursive: true });
});

describe('the files of a backup', () => {
  const script = join(deploy, 'docker/backup-files.mjs');

  it('are copied once the databases are, while their service removes nothing, and older backups go', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-backup-files-'));
    const [data, shared] = [join(folder, 'data'), join(folder, 'shared')];
    for (const one of [join(data, 'repositories', 'a.git', 'objects'), shared]) mkdirSync(one, { recursive: true });
    writeFileSync(join(data, 'repositories', 'a.git', 'HEAD'), 'ref: refs/heads/main\n');
    linkSync(join(data, 'repositories', 'a.git', 'HEAD'), join(data, 'repositories', 'a.git', 'objects', 'same'));
    const backups = join(folder, 'backups');
    for (const [name, days] of Object.entries({ killed: 2, running: 0 })) {
      mkdirSync(join(backups, name, 'postgres'), { recursive: true });
      const began = new Date(Date.now() - days * 86_400_000);
      writeFileSync(join(backups, name, 'incomplete'), '');
      utimesSync(join(backups, name, 'incomplete'), began, began);
    }
    const backup = async (name: string, how: 'databases' | 'failed') => {
      const child = spawn(process.execPath, [script, join(backups, name), shared, '1', data]);
      const code = new Promise((settle) => child.once('exit', settle));
      await eventually(() => expect(existsSync(join(shared, 'marked'))).toBe(true), { within: 20_000 });
      expect(existsSync(join(data, 'backup-running'))).toBe(true);
      writeFileSync(join(shared, how), '');
      const ended = await code;
      expect(existsSync(join(backups, name, 'complete'))).toBe(ended === 0);
      expect(existsSync(join(backups, name, 'incomplete'))).toBe(ended !== 0);
      for (const one of readdirSync(shared)) rmSync(join(shared, one));
      expect(existsSync(join(data, 'backup-running'))).toBe(false);
      return ended;
    };
    expect(await backup('one', 'databases')).toBe(0);
    expect(readdirSync(backups).sort()).toEqual(['one', 'running']);
    const copy = join(backups, 'one', 'data', 'repositories', 'a.git');
    expect(statSync(join(copy, 'HEAD')).ino).toBe(statSync(join(copy, 'objects', 'same')).ino);
    expect(await backup('two', 'failed')).toBe(1);
    expect(await backup('three', 'databases')).toBe(0);
    expect(readdirSync(backups).sort()).toEqual(['running', 'three', 'two']);
    rmSync(folder, { recursive: true });
  });

  it('that cannot be copied end the copy of the databases, too', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-backup-files-'));
    const [data, shared] = [join(folder, 'data'), join(folder, 'shared')];
    for (const one of [data, shared]) mkdirSync(one);
    writeFileSync(join(data, 'backup-running'), '');
    const { status, stderr } = spawnSync(process.execPath, [script, join(folder, 'one'), shared, '1', data]);
    expect([status, String(stderr)]).toEqual([1, expect.stringContaining('another backup runs')]);
    expect(readdirSync(shared)).toEqual(['failed']);
    rmSync(folder, { recursive: true });
  });

  it('are copied in the order in which git moves refs and objects, beside other work', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-copy-'));
    const [from, to] = [join(folder, 'a.git'), join(folder, 'copy')];
    for (const file of [
      'objects/aa/loose',
      'objects/zz/loose',
      'objects/pack/old',
      'refs/heads/main',
      'refs/tags/v1',
    ]) {
      mkdirSync(dirname(join(from, file)), { recursive: true });
      writeFileSync(join(from, file), file);
    }
    const seen: string[] = [];
    // Is asked for each name of a folder before its files are copied.
    const test = (name: string): boolean => {
      if (name === 'main' && !seen.includes(name)) renameSync(join(from, 'refs/tags/v1'), join(from, 'packed-refs'));
      if (name === 'aa') expect(existsSync(join(to, 'packed-refs'))).toBe(true);
      if (name === 'loose' && !seen.includes(name))
        renameSync(join(from, 'objects/zz/loose'), join(from, 'objects/pack/new'));
      seen.push(name);
      return false;
    };
    const other = new Promise<boolean>((settle) => setImmediate(settle, true));
    const copying = copyTree(from, to, { note: () => {}, say: () => {}, skip: { test } }).then(() => false);
    expect(await Promise.race([copying, other])).toBe(true);
    await copying;
    expect(readFileSync(join(to, 'packed-refs'), 'utf8')).toBe('refs/tags/v1');
    expect(readdirSync(join(to, 'objects/pack')).sort()).toEqual(['new', 'old']);
    rmSync(folder, { recursive: true });
  });

  it('are copied twice where they cannot be linked', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-copy-'));
    const [from, to] = [join(folder, 'from'), join(folder, 'to')];
    for (const one of [from, to]) mkdirSync(one);
    writeFileSync(join(from, 'a'), 'new');
    linkSync(join(from, 'a'), join(from, 'b'));
    for (const name of ['a', 'b']) writeFileSync(join(to, name), 'in the way of a link');
    await copyTree(from, to, { note: () => {}, say: () => {} });
    expect(['a', 'b'].map((name) => readFileSync(join(to, name), 'utf8'))).toEqual(['new', 'new']);
    rmSync(folder, { recursive: true });
  });
});

describe('alarms and dashboards', () => {
  const written = (folder: string): string[] =>
    readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory())
        return ['node_modules', 'dist', 'generated', 'test'].includes(entry.name) ? [] : written(path);
      return entry.name.endsWith('.ts') ? [readFileSync(path, 'utf8')] : [];
    });

  it('name metrics that there are, and headings of the operations manual', () => {
    const root = join(deploy, '..');
    const sources = [...written(join(root, 'libs')), ...written(join(root, 'services'))].join('\n');
    const known = new Set([...sources.matchAll(/'(switchyard_[a-z_]+)'/g)].map(([, name]) => name));
    const { rules } = ruleGroups('').groups[0] as ReturnType<typeof ruleGroups>['groups'][number];
    const asked = JSON.stringify([rules, DASHBOARDS]).matchAll(/\bswitchyard_[a-z_]+/g);
    const unknown = [...asked]
      .map(([name]) => name.replace(/_(?:bucket|count|sum)$/, ''))
      .filter((name) => !known.has(name));
    expect(unknown).toEqual([]);
    const manual = readFileSync(join(root, 'docs/operations.md'), 'utf8');
    const headings = [...manual.matchAll(/^#+ (.*)$/gm)].map(
      ([, heading = '']) =>
        `#${heading
          .toLowerCase()
          .replaceAll(/[^a-z0-9 -]/g, '')
          .replaceAll(' ', '-')}`,
    );
    expect(rules.map(({ annotations }) => annotations.runbook_url).filter((one) => !headings.includes(one))).toEqual(
      [],
    );
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

  describe('and their values', () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-charts-'));
    const read = (chart: string, file: string) => readFileSync(join(folder, chart, file), 'utf8');
    const accepts = (chart: string, values: object): boolean =>
      new Ajv({ strict: false }).compile(JSON.parse(read(chart, 'values.schema.json')))(values);
    beforeAll(() => {
      expect(spawnSync(process.execPath, [join(deploy, 'helm/charts.mjs'), folder]).status).toBe(0);
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    it.each([...names, 'switchyard'])('%s: the defaults fit the schema, and stand in the README', (chart) => {
      const values = parse(read(chart, 'values.yaml')) as Record<string, unknown>;
      expect(accepts(chart, values)).toBe(true);
      const readme = read(chart, 'README.md');
      expect(Object.keys(values).filter((name) => !readme.includes(`| \`${name}\` |`))).toEqual([]);
    });

    it.each<[string, object]>([
      ['gateway', { replica: 5 }],
      ['gateway', { replicas: '5' }],
      ['gateway', { persistence: { enabled: true } }],
      ['gateway', { global: { replicas: 5 } }],
      ['alerts', { image: { pullPolicy: 'Sometimes' } }],
      ['alerts', { config: { tier: 'gold' } }],
      ['alerts', { ingress: { enabled: true } }],
      ['alerts', { storages: [{ name: 'fast' }] }],
      ['merge-requests', { storages: [{ name: 'fast', weight: 101 }] }],
      ['alerts', { autoscaling: { minReplicas: 0 } }],
      ['switchyard', { gatway: {} }],
      ['switchyard', { global: { images: {} } }],
    ])('%s refuses %j', (chart, values) => {
      expect(accepts(chart, values)).toBe(false);
    });

    it('a tag may be a number', () => {
      expect(accepts('alerts', { image: { tag: 9 }, global: { image: { tag: 'v9' } } })).toBe(true);
    });
  });

  const hasHelm = spawnSync('helm', ['version']).status === 0;
  const withHelm = hasHelm ? describe : describe.skip;

  withHelm('rendered (needs helm)', () => {
    interface Rendered {
      kind: string;
      metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
      spec: {
        clusterIP?: string;
        replicas?: number;
        activeDeadlineSeconds?: number;
        rules?: { host: string }[];
        hostnames?: string[];
        template: {
          metadata?: { labels: Record<string, string> };
          spec: {
            automountServiceAccountToken?: boolean;
            terminationGracePeriodSeconds?: number;
            serviceAccountName?: string;
            nodeSelector?: Record<string, string>;
            topologySpreadConstraints?: { topologyKey: string; labelSelector: object }[];
            containers: { image: string; env: { name: string; value?: string }[]; resources: object }[];
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

    const known = new Map<string, ReturnType<typeof template>>();
    function template(chart: string, settings: readonly string[], release = 'one') {
      const all = [...REQUIRED, 'global.config.s3.bucket=files', ...settings].flatMap((setting) => ['--set', setting]);
      return spawnSync('helm', ['template', release, join(charts, chart), ...all], { encoding: 'utf8' });
    }
    function rendered(chart: string, settings: readonly string[]) {
      const key = JSON.stringify([chart, settings]);
      const found = known.get(key) ?? template(chart, settings);
      known.set(key, found);
      return found;
    }
    function render(chart: string, ...settings: string[]): Rendered[] {
      const { stdout, stderr, status } = rendered(chart, settings);
      expect([status, stderr]).toEqual([0, '']);
      return parseAllDocuments(stdout).map((document) => document.toJS() as Rendered);
    }
    const of = (all: Rendered[], kind: string, name: string): Rendered | undefined =>
      all.find((one) => one?.kind === kind && one.metadata.labels['app.kubernetes.io/name'] === name);

    it.each(names)('%s gets what the process reads, and its own keys', (name) => {
      const pod = of(render('switchyard'), 'Deployment', name)?.spec.template.spec;
      const given = pod?.containers[0]?.env.map((one) => one.name) ?? [];
      expect(given.filter((one) => ![...variablesOf(name), ...common].includes(one))).toEqual([]);
      // The secret of the instance lies in a file: it changes while pods run.
      for (const [secret, processes] of Object.entries(holders)) {
        const variable = secret === 'SWITCHYARD_SECRET' ? `${secret}_FILE` : secret;
        expect([secret, given.includes(variable)]).toEqual([secret, processes.includes(name)]);
      }
      const keys = pod?.volumes.find((volume) => volume.name === 'keys')?.secret?.items.map(({ key }) => key);
      expect(keys).toEqual([
        `${name}.key`,
        ...(name === 'gateway' ? [] : ['public-keys.json']),
        ...(SERVICES.find((service) => service.name === name)?.keys.map(({ file }) => file) ?? []),
        ...(holders.SWITCHYARD_SECRET?.includes(name) ? ['secret'] : []),
      ]);
    });

    it('Kafka is used as the values say, with files of a Secret', () => {
      const all = render('switchyard', ...SETTINGS.kafka);
      for (const name of names) {
        const pod = of(all, 'Deployment', name)?.spec.template.spec;
        const given = pod?.containers[0]?.env.filter((one) => one.name.startsWith('KAFKA_')) ?? [];
        const expected = {
          KAFKA_BROKERS: 'kafka:9092',
          KAFKA_CA_FILE: '/kafka/ca.crt',
          KAFKA_CREATE_TOPICS: 'false',
          KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
          KAFKA_SASL_PASSWORD_FILE: '/kafka/password',
          KAFKA_SASL_USERNAME: 'us',
          KAFKA_TLS: 'true',
        };
        const values = Object.fromEntries(given.map((one) => [one.name, one.value]));
        expect([name, values]).toEqual([name, name === 'gateway' ? {} : expected]);
        expect(pod?.volumes.some((volume) => volume.name === 'kafka')).toBe(name !== 'gateway');
        expect(given.filter((one) => !variablesOf(name).includes(one.name))).toEqual([]);
      }
      const withoutSecret = SETTINGS.kafka.filter((setting) => !setting.includes('secretName'));
      expect(template('switchyard', withoutSecret).stderr).toContain('config.kafka.secretName must name the Secret');
    });

    it('a pod has as long as its requests have, and what comes before and after them', () => {
      const all = render('switchyard', ...SETTINGS.drains);
      const times = ['gateway', 'merge-requests', 'alerts'].map((name) => {
        const pod = of(all, 'Deployment', name)?.spec.template.spec;
        const given = pod?.containers[0]?.env.find((one) => one.name === 'SWITCHYARD_DRAIN_SECONDS');
        return [given?.value, pod?.terminationGracePeriodSeconds];
      });
      expect(times).toEqual([
        ['120', 150],
        ['600', 630],
        ['5', 20],
      ]);
    });

    it('a backup copies the databases before the files that they name', () => {
      const job = render('switchyard', ...SETTINGS.backupOfClaims).find((one) => one?.kind === 'CronJob');
      const { jobTemplate } = (job as Rendered).spec as unknown as { jobTemplate: { spec: Rendered['spec'] } };
      const pod = jobTemplate.spec.template.spec;
      const [databases, files] = pod.containers as unknown as { command: string[] }[];
      expect(databases?.command.at(-1)).toMatch(/until \[ -e \/shared\/marked \][\s\S]*\ndone\npg_basebackup/);
      expect(files?.command.at(-1)).toContain('"/backup/$POD" /shared 7 /data/repositories /data/packages');
      expect(pod.volumes.map(({ name }) => name)).toEqual(['backup', 'shared', 'repositories', 'packages']);
      expect(template('switchyard', ['backup.enabled=true']).stderr).toContain('backup.claim must name the claim');
    });

    it('a backup copies the volumes of all services, on the node that mounts them', () => {
      const podOf = (settings: readonly string[]) => {
        const job = render('switchyard', ...settings).find((one) => one?.kind === 'CronJob');
        const { jobTemplate } = (job as Rendered).spec as unknown as { jobTemplate: { spec: Rendered['spec'] } };
        const pod = jobTemplate.spec.template.spec as Rendered['spec']['template']['spec'] & Record<string, unknown>;
        return { ...pod, affinity: pod.affinity, sources: pod.volumes.map(({ name }) => name).slice(2) };
      };
      const beside = (...services: string[]) => ({
        podAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: services.map((name) => ({
            topologyKey: 'kubernetes.io/hostname',
            labelSelector: { matchLabels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/instance': 'one' } },
          })),
        },
      });
      const usual = podOf(SETTINGS.backupOnNodes);
      expect(usual).toMatchObject({
        sources: ['one-merge-requests'],
        affinity: beside('merge-requests'),
        nodeSelector: { disk: 'ssd' },
        priorityClassName: 'low',
        tolerations: [{ key: 'git' }],
      });
      const many = podOf(SETTINGS.backupOfMany);
      expect(many.sources.sort()).toEqual(['one-merge-requests', 'one-packages', 'uploads']);
      expect(many.affinity).toBeUndefined();
      const alone = template('switchyard', [
        ...SETTINGS.backup,
        'merge-requests.persistence.accessMode=ReadWriteOncePod',
      ]);
      expect(alone.stderr).toContain('no other pod can mount the claim one-merge-requests');
    });

    it('a backup mounts the storages of repositories where their service has them', () => {
      const job = render('switchyard', ...SETTINGS.backupOfStorages).find((one) => one?.kind === 'CronJob');
      expect(job).toMatchObject({
        spec: {
          jobTemplate: {
            spec: {
              template: {
                spec: {
                  affinity: {
                    podAffinity: {
                      requiredDuringSchedulingIgnoredDuringExecution: [
                        { labelSelector: { matchLabels: { 'app.kubernetes.io/name': 'merge-requests' } } },
                      ],
                    },
                  },
                  containers: [
                    { name: 'databases' },
                    {
                      name: 'files',
                      volumeMounts: [
                        { name: 'backup' },
                        { name: 'shared' },
                        { name: 'one-merge-requests', mountPath: '/data/one-merge-requests' },
                        { name: 'merge-requests-fast', mountPath: '/data/one-merge-requests/storages/fast' },
                      ],
                    },
                  ],
                  volumes: [
                    { name: 'backup' },
                    { name: 'shared' },
                    { name: 'one-merge-requests' },
                    { name: 'merge-requests-fast', persistentVolumeClaim: { claimName: 'nvme' } },
                  ],
                },
              },
            },
          },
        },
      });
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
      const elsewhere = render('gateway', 'config.externalUrl=https://forge.example', 'peers.alerts=two.other');
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
      const scraped = render('switchyard', ...SETTINGS.metrics);
      expect(letIn(of(scraped, 'NetworkPolicy', name))).toEqual([...expected, monitoring]);
    });

    it('the value of a service goes before the one of all, and that before the default', () => {
      const all = render('switchyard', ...SETTINGS.ownBeforeAll);
      const pod = (name: string) => of(all, 'Deployment', name)?.spec.template.spec;
      const image = (name: string) => pod(name)?.containers[0]?.image;
      const variable = (name: string, of: string) =>
        pod(name)?.containers[0]?.env.find((one) => one.name === of)?.value;
      expect(['gateway', 'packages', 'alerts'].map(image)).toEqual([
        'switchyard:9',
        'switchyard:8',
        `switchyard@sha256:${'0a'.repeat(32)}`,
      ]);
      expect(['gateway', 'packages'].map((name) => pod(name)?.nodeSelector?.disk)).toEqual(['hdd', 'ssd']);
      expect(['gateway', 'packages'].map((name) => variable(name, 'LOG_LEVEL'))).toEqual(['warn', 'debug']);
      expect(['gateway', 'alerts'].map((name) => variable(name, 'SWITCHYARD_TIER'))).toEqual(['free', 'premium']);
    });

    it.each(names)('%s has a disruption budget, an account without a token, and is spread', (name) => {
      const all = render('switchyard');
      const pod = of(all, 'Deployment', name)?.spec.template.spec;
      expect(of(all, 'PodDisruptionBudget', name)).toMatchObject({ spec: { maxUnavailable: 1 } });
      expect(of(all, 'ServiceAccount', name)).toMatchObject({
        automountServiceAccountToken: false,
        metadata: { name: pod?.serviceAccountName },
      });
      expect(pod?.automountServiceAccountToken).toBe(false);
      const labelSelector = {
        matchLabels: { 'app.kubernetes.io/name': name, 'app.kubernetes.io/instance': 'one' },
      };
      expect(pod?.topologySpreadConstraints).toMatchObject([
        { topologyKey: 'topology.kubernetes.io/zone', labelSelector },
        { topologyKey: 'kubernetes.io/hostname', labelSelector },
      ]);
      const migration = of(all, 'Job', name)?.spec;
      if (name === 'gateway') expect(migration).toBeUndefined();
      else {
        expect(migration?.activeDeadlineSeconds).toBe(1_800);
        expect(migration?.template.spec.automountServiceAccountToken).toBe(false);
        // It runs before the account is there.
        expect(migration?.template.spec.serviceAccountName).toBeUndefined();
      }
    });

    describe('further storages of repositories', () => {
      const at = 'merge-requests.storages';
      const settings = SETTINGS.storages;
      const two = settings.slice(0, 4);
      const byStorage = (all: Rendered[], kind: string) =>
        new Map(
          all
            .filter((one) => one?.kind === kind && one.metadata.labels['app.kubernetes.io/name'] === 'merge-requests')
            .map((one) => [one.metadata.labels['switchyard.io/storage'], one]),
        );

      it('have a pod, a volume and a Service each, and every process knows them all', () => {
        const all = render('switchyard', ...settings, 'merge-requests.persistence.weight=2');
        const first = of(all, 'Deployment', 'merge-requests');
        const sets = byStorage(all, 'StatefulSet');
        expect([...sets.keys()]).toEqual(['fast', 'old']);
        const weights = 'default:2,fast:3,old:0';
        const addressOf = (storage: string) => `${storage}=one-merge-requests-${storage}:50051/8081`;
        const processes = new Map([['default', first], ...sets]);
        for (const [storage, one] of processes) {
          const pod = one?.spec.template.spec;
          const given = new Map(pod?.containers[0]?.env.map(({ name, value }) => [name, value]));
          const others = ['default', 'fast', 'old'].filter((name) => name !== storage);
          expect(given.get('SWITCHYARD_REPOSITORY_STORAGES')).toBe(weights);
          expect(given.get('SWITCHYARD_STORAGES_SERVED')).toBe(storage);
          expect(given.get('SWITCHYARD_STORAGE_PEERS')).toBe(others.map(addressOf).join(','));
          expect(
            [...given.keys()].filter((name) => ![...variablesOf('merge-requests'), ...common].includes(name)),
          ).toEqual([]);
        }
        const claims = [...processes.values()].map((one) =>
          one?.spec.template.spec.volumes.find(({ name }) => name === 'data'),
        );
        expect(claims).toEqual(
          ['one-merge-requests', 'one-merge-requests-fast', 'before'].map((claimName) => ({
            name: 'data',
            persistentVolumeClaim: { claimName },
          })),
        );
        expect([...byStorage(all, 'PersistentVolumeClaim')]).toMatchObject([
          [undefined, { metadata: { name: 'one-merge-requests' } }],
          ['fast', { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '5Gi' } } } }],
        ]);
        for (const storage of processes.keys()) {
          expect(byStorage(all, 'Service').get(storage)).toMatchObject({
            metadata: { name: `one-merge-requests-${storage}` },
            spec: { clusterIP: 'None', selector: { 'switchyard.io/storage': storage } },
          });
          const labels = processes.get(storage)?.spec.template.metadata?.labels;
          expect(labels).toMatchObject({
            'switchyard.io/storage': storage,
            'app.kubernetes.io/name': 'merge-requests',
          });
        }
        // Callers reach all of them by one name.
        const shared = all.find((one) => one?.kind === 'Service' && one.metadata.name === 'one-merge-requests-grpc');
        expect(shared?.spec).toMatchObject({
          selector: { 'app.kubernetes.io/name': 'merge-requests', 'app.kubernetes.io/instance': 'one' },
        });
        expect(
          letIn(of(all, 'NetworkPolicy', 'merge-requests')).map(([port, from]) => [port, from?.split(' ')]),
        ).toEqual([
          ['grpc', expect.arrayContaining(['gateway', 'merge-requests'])],
          ['http', ['gateway', 'merge-requests']],
        ]);
      });

      it('without them nothing is made, and nothing is said', () => {
        const all = render('switchyard');
        expect(all.filter((one) => one?.kind === 'StatefulSet')).toEqual([]);
        const env = of(all, 'Deployment', 'merge-requests')?.spec.template.spec.containers[0]?.env ?? [];
        expect(env.filter(({ name }) => name.includes('STORAGE'))).toEqual([]);
      });

      it('a backup copies the volume of each', () => {
        const shared = [`${at}[1].accessMode=ReadWriteMany`, 'merge-requests.persistence.accessMode=ReadWriteMany'];
        const backup = ['backup.enabled=true', 'backup.claim=backups', 'packages.persistence.enabled=false', ...shared];
        const job = render('switchyard', ...settings, ...backup).find((one) => one?.kind === 'CronJob');
        const { jobTemplate } = (job as Rendered).spec as unknown as { jobTemplate: { spec: Rendered['spec'] } };
        const pod = jobTemplate.spec.template.spec as Rendered['spec']['template']['spec'] & { affinity: object };
        expect(pod.volumes.map(({ name }) => name).slice(2)).toEqual([
          'one-merge-requests',
          'one-merge-requests-fast',
          'before',
        ]);
        expect(pod.affinity).toMatchObject({
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: ['fast'].map((storage) => ({
              labelSelector: { matchLabels: { 'switchyard.io/storage': storage } },
            })),
          },
        });
      });

      it.each<[string, string[]]>([
        ['storages names fast twice', [...two, `${at}[1].name=fast`]],
        [
          'SWITCHYARD_REPOSITORY_STORAGES follows from the values `storages`',
          [...two, 'merge-requests.env.SWITCHYARD_REPOSITORY_STORAGES=default:1'],
        ],
        ['storages names default twice', [`${at}[0].name=default`]],
        [
          'backup: no node has all volumes that only one node can mount',
          [...two, 'backup.enabled=true', 'backup.claim=backups'],
        ],
        [
          'autoscaling cannot be enabled beside storages',
          [...two, 'merge-requests.autoscaling.enabled=true', 'merge-requests.persistence.accessMode=ReadWriteMany'],
        ],
        ['the specifications of the schema', [`${at}[0].weight=1`]],
      ])('%s: refused', (message, wrong) => {
        const { status, stderr } = rendered('switchyard', wrong);
        expect(status).not.toBe(0);
        expect(stderr).toContain(message);
      });

      it('whose names would be too long for Kubernetes are refused', () => {
        const { stderr } = template('switchyard', two, 'r'.repeat(40));
        expect(stderr).toContain('is longer than the 52 characters');
      });
    });

    it('a pod has memory for as many git processes as it may run', () => {
      const resourcesOf = (...settings: string[]) => {
        const pod = of(render('switchyard', ...settings), 'Deployment', 'merge-requests')?.spec.template.spec;
        const given = pod?.containers[0]?.env.filter(({ name }) => name.startsWith('SWITCHYARD_GIT_')) ?? [];
        return { ...pod?.containers[0]?.resources, given: given.map(({ value }) => value) };
      };
      const workers = lanes.reduce((sum, { places }) => sum + places, 0);
      expect(resourcesOf()).toEqual({
        requests: { cpu: '500m', memory: `${256 + 32 * (2 * 16 + workers)}Mi` },
        limits: { memory: `${512 + 512 * (2 * 16 + workers)}Mi` },
        given: ['16', '512'],
      });
      const own = ['merge-requests.git.places=4', 'merge-requests.git.processMemory=256'];
      expect(resourcesOf(...own, 'merge-requests.resources.requests.memory=1Gi')).toEqual({
        requests: { cpu: '500m', memory: '1Gi' },
        limits: { memory: `${512 + 256 * (2 * 4 + workers)}Mi` },
        given: ['4', '256'],
      });
    });

    it('the number of pods follows the load where that is wanted', () => {
      const all = render('switchyard', ...SETTINGS.autoscaling);
      expect(of(all, 'Deployment', 'gateway')?.spec.replicas).toBeUndefined();
      expect(of(all, 'Deployment', 'alerts')?.spec.replicas).toBe(2);
      expect(of(all, 'HorizontalPodAutoscaler', 'gateway')).toMatchObject({
        spec: { scaleTargetRef: { name: 'one-gateway' }, minReplicas: 2, maxReplicas: 9 },
      });
    });

    it('alarms and dashboards are made where they are wanted', () => {
      const all = render('switchyard', ...SETTINGS.monitoring);
      const rules = all.find((one) => one?.kind === 'PrometheusRule');
      expect(rules).toMatchObject({
        metadata: { labels: { release: 'prometheus' } },
        spec: ruleGroups('https://docs.example/operations'),
      });
      const dashboards = all.filter((one) => one?.kind === 'ConfigMap') as unknown as {
        data: Record<string, string>;
      }[];
      const shown = dashboards.flatMap(({ data }) =>
        Object.entries(data).map(([file, one]) => [file, JSON.parse(one)]),
      );
      expect(Object.fromEntries(shown)).toEqual(DASHBOARDS);
      expect(render('switchyard').filter((one) => ['PrometheusRule', 'ConfigMap'].includes(one?.kind))).toEqual([]);
    });

    it('a test of the release takes the tour, or asks the gateway for what another service knows', async () => {
      const podOf = (...values: string[]) =>
        render('switchyard', ...values).find((one) => one?.kind === 'Pod') as unknown as {
          metadata: { annotations: Record<string, string> };
          spec: { containers: { command: string[]; env: { name: string; value: string }[] }[] };
        };
      const pod = podOf(...SETTINGS.withoutTour);
      expect(pod.metadata.annotations['helm.sh/hook']).toBe('test');
      const [{ command, env } = { command: [], env: [] }] = pod.spec.containers;
      expect(env).toEqual([{ name: 'URL', value: 'http://one-gateway' }]);
      expect(podOf().spec.containers[0]?.env).toEqual([
        ...env,
        { name: 'TOKEN', valueFrom: { secretKeyRef: { name: 'switchyard', key: 'root-token', optional: true } } },
      ]);
      const statuses = new Map([['/-/readiness', 200]]);
      const server = createServer(({ url = '' }, response) => response.writeHead(statuses.get(url) ?? 503).end());
      await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle));
      const run = () =>
        new Promise((settle) => {
          const { port } = server.address() as AddressInfo;
          const URL = `http://127.0.0.1:${port}`;
          spawn(process.execPath, command.slice(1), {
            cwd: join(deploy, '..'),
            env: { ...process.env, URL, TOKEN: '' },
          }).on('exit', settle);
        });
      expect(await run()).toBe(1);
      statuses.set('/api/v4/groups', 200);
      expect(await run()).toBe(0);
      server.close();
    });

    it('a claim that is there already is used, and none is made', () => {
      const all = render('switchyard', ...SETTINGS.existingClaim);
      expect(of(all, 'PersistentVolumeClaim', 'merge-requests')).toBeUndefined();
      expect(of(all, 'Deployment', 'merge-requests')?.spec.template.spec.volumes).toContainEqual({
        name: 'data',
        persistentVolumeClaim: { claimName: 'git' },
      });
    });

    const proxies = 'gateway.trustedProxies={10.0.0.0/8,uniquelocal}';

    it('the way in streams bodies of any size, for the host of the address that clients use', () => {
      const all = render('switchyard', ...SETTINGS.entrances);
      const ingress = of(all, 'Ingress', 'gateway');
      expect(ingress).toMatchObject({
        spec: { tls: [{ hosts: ['forge.example'], secretName: 'certificate' }] },
        metadata: {
          annotations: {
            'nginx.ingress.kubernetes.io/proxy-body-size': '0',
            'nginx.ingress.kubernetes.io/proxy-request-buffering': 'off',
            'nginx.ingress.kubernetes.io/proxy-buffering': 'off',
          },
        },
      });
      expect(ingress?.spec.rules?.map(({ host }) => host)).toEqual(['forge.example']);
      expect(of(all, 'HTTPRoute', 'gateway')).toMatchObject({
        spec: {
          parentRefs: [{ name: 'public' }],
          hostnames: ['forge.example'],
          rules: [{ timeouts: { request: '0s' }, backendRefs: [{ name: 'one-gateway', port: 80 }] }],
        },
      });
      const variables = of(all, 'Deployment', 'gateway')?.spec.template.spec.containers[0]?.env;
      expect(variables).toContainEqual({ name: 'SWITCHYARD_TRUSTED_PROXIES', value: '10.0.0.0/8,uniquelocal' });
    });

    it.each<[string, string[]]>([
      ['trustedProxies must name', ['gateway.ingress.enabled=true']],
      ['httpRoute.parentRefs must name', ['gateway.httpRoute.enabled=true', proxies]],
      ['SWITCHYARD_GIT_PLACES is set by the values `git`', ['merge-requests.env.SWITCHYARD_GIT_PLACES=4']],
      ['merge-requests: more than one replica needs', ['merge-requests.replicas=2']],
      ['merge-requests: more than one replica needs', ['merge-requests.autoscaling.enabled=true']],
      ['minReplicas is above maxReplicas', ['gateway.autoscaling.enabled=true', 'gateway.autoscaling.minReplicas=7']],
      [
        'autoscaling needs targetCpu or metrics',
        ['gateway.autoscaling.enabled=true', 'gateway.autoscaling.targetCpu=0'],
      ],
      ['the specifications of the schema', ['gateway.replica=5']],
    ])('%s: refused', (message, settings) => {
      const { status, stderr } = rendered('switchyard', settings);
      expect(status).not.toBe(0);
      expect(stderr).toContain(message);
    });

    it('policies are switched chart by chart, and know the releases of charts that stand alone', () => {
      const without = render('switchyard', ...SETTINGS.withoutPolicy);
      expect(names.filter((name) => of(without, 'NetworkPolicy', name) !== undefined)).toEqual(
        names.filter((name) => name !== 'alerts'),
      );
      const config = REQUIRED.map((setting) => setting.replace('global.', ''));
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
