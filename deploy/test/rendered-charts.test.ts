import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { lanes } from '../../services/merge-requests/src/jobs/domain/job';
import { SERVICES } from '../catalogue.mjs';
import { DASHBOARDS } from '../monitoring/dashboards.mjs';
import { ruleGroups } from '../monitoring/rules.mjs';
import { REQUIRED, SETTINGS } from './support/chart-settings';
import { callsOf, common, deploy, holders, names, variablesOf } from './support/processes';

const helm = spawnSync('helm', ['version', '--short'], { encoding: 'utf8' });
const hasHelm = helm.status === 0;
// Helm 3 prints the notes of a cluster alone.
const itPrints = helm.stdout?.startsWith('v4') ? it : it.skip;
const withHelm = hasHelm ? describe : describe.skip;

withHelm('the charts, rendered (needs helm)', () => {
  interface Rendered {
    kind: string;
    metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
    spec: {
      clusterIP?: string;
      replicas?: number;
      strategy?: { type: string };
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
          priorityClassName?: string;
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

  const flagsOf = (settings: readonly string[]): string[] =>
    [...REQUIRED, 'global.config.s3.bucket=files', ...settings].flatMap((setting) => ['--set', setting]);
  function template(chart: string, settings: readonly string[], release = 'one') {
    return spawnSync('helm', ['template', release, join(charts, chart), ...flagsOf(settings)], { encoding: 'utf8' });
  }
  const known = new Map<string, Rendered[]>();
  function render(chart: string, ...settings: string[]): Rendered[] {
    const key = JSON.stringify([chart, settings]);
    const found = known.get(key);
    if (found !== undefined) return found;
    const { stdout, stderr, status } = template(chart, settings);
    expect([status, stderr]).toEqual([0, '']);
    const made = parseAllDocuments(stdout).map((document) => document.toJS() as Rendered);
    known.set(key, made);
    return made;
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
      priorityClassName: 'system-cluster-critical',
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

  it('a tag of digits alone, as a date is, stays as it is written', () => {
    const all = render('alerts', 'config.externalUrl=https://forge.example', 'image.tag=20261128');
    expect(of(all, 'Deployment', 'alerts')?.spec.template.spec.containers[0]?.image).toMatch(/:20261128$/);
    expect(of(all, 'Deployment', 'alerts')?.metadata.labels['app.kubernetes.io/version']).toBe('20261128');
  });

  it.each([
    ['nightly_', 'nightly'],
    ['_x', 'x'],
    [`${'a'.repeat(62)}-${'b'.repeat(10)}`, 'a'.repeat(62)],
  ])('a tag that no label may have, %s, is one without its ends', (tag, label) => {
    const deployment = of(
      render('alerts', 'config.externalUrl=https://forge.example', `image.tag=${tag}`),
      'Deployment',
      'alerts',
    );
    expect(deployment?.spec.template.spec.containers[0]?.image).toMatch(new RegExp(`:${tag}$`));
    expect(deployment?.metadata.labels['app.kubernetes.io/version']).toBe(label);
  });

  itPrints('the notes name the address, the Secret and the storages that the values give', () => {
    const notes = (...settings: string[]): string => {
      const install = ['install', 'one', join(charts, 'switchyard'), '--dry-run=client', ...flagsOf(settings)];
      const made = spawnSync('helm', install, { encoding: 'utf8' });
      expect([made.status, made.stderr]).toEqual([0, expect.any(String)]);
      return made.stdout.slice(made.stdout.indexOf('NOTES:'));
    };
    const own = notes('gateway.config.externalUrl=https://own.example', 'groups-admin.secretName=kept');
    expect(own).toContain('Address of the API: https://own.example/api/v4');
    expect(own).toContain('get secret kept ');
    expect(own).not.toContain('statefulset');
    expect(notes(...SETTINGS.storages)).toContain('statefulset/one-merge-requests-fast');
  });

  it('the value of a service goes before the one of all, and that before the default', () => {
    const all = render('switchyard', ...SETTINGS.ownBeforeAll);
    const pod = (name: string) => of(all, 'Deployment', name)?.spec.template.spec;
    const image = (name: string) => pod(name)?.containers[0]?.image;
    const variable = (name: string, of: string) => pod(name)?.containers[0]?.env.find((one) => one.name === of)?.value;
    expect(['gateway', 'packages', 'alerts'].map(image)).toEqual([
      'switchyard:9',
      'switchyard:8',
      `switchyard@sha256:${'0a'.repeat(32)}`,
    ]);
    expect(['gateway', 'packages'].map((name) => pod(name)?.nodeSelector?.disk)).toEqual(['hdd', 'ssd']);
    expect(['gateway', 'packages'].map((name) => variable(name, 'LOG_LEVEL'))).toEqual(['warn', 'debug']);
    const tiers = ['gateway', 'alerts', 'packages'].map((name) => variable(name, 'SWITCHYARD_TIER'));
    // An empty value of its own is one as well; what is usual comes in its place, if anything does.
    expect(tiers).toEqual(['free', 'premium', 'ultimate']);
    expect(['gateway', 'alerts'].map((name) => pod(name)?.priorityClassName)).toEqual([
      'system-node-critical',
      undefined,
    ]);
    const collectors = ['gateway', 'alerts'].map((name) => variable(name, 'OTEL_EXPORTER_OTLP_ENDPOINT'));
    expect(collectors).toEqual(['http://traces:4318', undefined]);
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
      expect(letIn(of(all, 'NetworkPolicy', 'merge-requests')).map(([port, from]) => [port, from?.split(' ')])).toEqual(
        [
          ['grpc', expect.arrayContaining(['gateway', 'merge-requests'])],
          ['http', ['gateway', 'merge-requests']],
        ],
      );
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
        'env.SWITCHYARD_REPOSITORY_STORAGES is set by the chart; use `storages` in place of it',
        [...two, 'merge-requests.env.SWITCHYARD_REPOSITORY_STORAGES=default:1'],
      ],
      ['storages names default twice', [`${at}[0].name=default`]],
      [
        'persistence.weight or that of one of storages must be above 0',
        [`${at}[0].name=fast`, `${at}[0].weight=0`, 'merge-requests.persistence.weight=0'],
      ],
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
      const { status, stderr } = template('switchyard', wrong);
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
    const shown = dashboards.flatMap(({ data }) => Object.entries(data).map(([file, one]) => [file, JSON.parse(one)]));
    expect(Object.fromEntries(shown)).toEqual(DASHBOARDS);
    expect(render('switchyard').filter((one) => ['PrometheusRule', 'ConfigMap'].includes(one?.kind))).toEqual([]);
  });

  it('labels of all are on every object, and every pod goes where pods may run, with limits', () => {
    interface Pod {
      metadata: { labels: object };
      spec: { containers: { name: string; resources?: { limits?: object } }[] };
    }
    const everything = [
      ...[...SETTINGS.pods, ...SETTINGS.scheduled, ...SETTINGS.monitoring, ...SETTINGS.backup],
      ...[...SETTINGS.entrances, ...SETTINGS.autoscaling],
    ];
    const all = [
      ...render('switchyard', ...everything),
      ...render('switchyard', ...SETTINGS.pods, ...SETTINGS.scheduled, ...SETTINGS.storages),
    ].filter((one) => one !== null);
    const kinds = ['CronJob', 'ConfigMap', 'PrometheusRule', 'Pod', 'StatefulSet', 'Job', 'HTTPRoute', 'PodMonitor'];
    expect(all.map(({ kind }) => kind)).toEqual(expect.arrayContaining(kinds));
    const bare = all.filter(({ metadata }) => metadata.labels?.team !== 'forge');
    expect(bare.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([]);
    const pods = all.flatMap((one): Pod[] => {
      if (one.kind === 'Pod') return [one as unknown as Pod];
      const spec = (one as unknown as { spec?: { jobTemplate?: { spec: object }; template?: Pod } }).spec;
      const { template: pod } = (spec?.jobTemplate?.spec ?? spec ?? {}) as { template?: Pod };
      return pod === undefined ? [] : [pod];
    });
    expect(pods.length).toBeGreaterThan(2 * names.length);
    for (const { metadata, spec } of pods) {
      expect(metadata).toMatchObject({ labels: { mesh: 'on' }, annotations: { 'example.com/note': 'yes' } });
      expect(spec).toMatchObject({
        nodeSelector: { disk: 'ssd' },
        tolerations: [{ key: 'git' }],
        priorityClassName: 'system-cluster-critical',
        imagePullSecrets: [{ name: 'registry' }],
      });
      const unlimited = spec.containers.filter(({ resources }) => resources?.limits === undefined);
      expect(unlimited.map(({ name }) => name)).toEqual([]);
    }
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

  it('a volume is used in place of the bucket of all', () => {
    const all = render('switchyard', ...SETTINGS.volumeForFiles);
    const filesOf = (name: string) => {
      const pod = of(all, 'Deployment', name)?.spec.template.spec;
      const bucket = pod?.containers[0]?.env.filter((one) => one.name.startsWith('S3_')).map(({ value }) => value);
      return [bucket?.includes('files'), pod?.volumes.find((volume) => volume.name === 'data')];
    };
    expect(filesOf('packages')).toEqual([
      false,
      { name: 'data', persistentVolumeClaim: { claimName: 'one-packages' } },
    ]);
    expect(filesOf('alerts')).toEqual([true, { name: 'data', emptyDir: {} }]);
  });

  it('the old pod goes before the new one where both cannot have the data', () => {
    const strategy = (...settings: string[]) =>
      of(render('switchyard', ...settings), 'Deployment', 'merge-requests')?.spec.strategy?.type;
    expect(strategy()).toBe('Recreate');
    expect(strategy('merge-requests.persistence.enabled=false')).toBe('Recreate');
    expect(strategy(...SETTINGS.manyPods)).toBe('RollingUpdate');
  });

  const manyPods =
    'merge-requests: more than one replica needs persistence.enabled, and persistence.accessMode ReadWriteMany';
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
    const capitals = render('switchyard', ...SETTINGS.entrances, 'global.config.externalUrl=https://FORGE.example/sub');
    expect(of(capitals, 'Ingress', 'gateway')?.spec.rules?.map(({ host }) => host)).toEqual(['forge.example']);
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
    [manyPods, ['merge-requests.replicas=2']],
    [manyPods, ['merge-requests.autoscaling.enabled=true']],
    [manyPods, ['merge-requests.persistence.enabled=false', 'merge-requests.replicas=3']],
    [manyPods, ['merge-requests.persistence.enabled=false', 'merge-requests.autoscaling.enabled=true']],
    ['config.s3.bucket must name a bucket, unless packages.persistence', ['packages.config.s3.bucket=']],
    ['minReplicas is above maxReplicas', ['gateway.autoscaling.enabled=true', 'gateway.autoscaling.minReplicas=7']],
    ['autoscaling needs targetCpu or metrics', ['gateway.autoscaling.enabled=true', 'gateway.autoscaling.targetCpu=0']],
    ['the specifications of the schema', ['gateway.replica=5']],
  ])('%s: refused', (message, settings) => {
    const { status, stderr } = template('switchyard', settings);
    expect(status).not.toBe(0);
    expect(stderr).toContain(message);
  });

  it('what the processes would refuse is refused', () => {
    const wrong = {
      'gateway.drainSeconds': '7200',
      'merge-requests.git.places': '100000',
      'gateway.trustedProxies': '{nonsense}',
      'global.config.externalUrl': 'forge.example',
      'global.config.kafkaBrokers': 'kafka',
      'alerts.image.digest': 'abc',
      'packages.env.SWITCHYARD_UPLOAD_LIMIT': '1023',
      'global.env.LOG_LEVEL': 'loud',
    };
    const { status, stderr } = template(
      'switchyard',
      Object.entries(wrong).map((setting) => setting.join('=')),
    );
    expect(status).not.toBe(0);
    // Helm 3 writes the path with dots, Helm 4 with slashes.
    const said = stderr.replaceAll('/', '.');
    const last = Object.keys(wrong).map((setting) => setting.split('.').slice(1).join('.'));
    expect(last.filter((setting) => !said.includes(setting))).toEqual([]);
  });

  it('a variable that follows from a value is refused in env, with the value to use', () => {
    const values = {
      SWITCHYARD_DRAIN_SECONDS: 'drainSeconds',
      SWITCHYARD_TIER: 'config.tier',
      SWITCHYARD_EXTERNAL_URL: 'config.externalUrl',
      ALERTS_ADDRESS: 'peers',
      MERGE_REQUESTS_HTTP_URL: 'peers',
      KAFKA_BROKERS: 'config.kafkaBrokers',
      KAFKA_TLS: 'config.kafka',
      KAFKA_SASL_PASSWORD_FILE: 'config.kafka',
      S3_BUCKET: 'config.s3',
      SWITCHYARD_GIT_PLACES: 'git',
      'SWITCHYARD_TRUSTED_PROXIES=loopback': 'trustedProxies',
      'OTEL_EXPORTER_OTLP_ENDPOINT=http://other:4318': 'config.otlpEndpoint',
      DATABASE_URL: 'secretName',
      SWITCHYARD_IDENTITY_KEY_FILE: 'secretName',
    };
    const given = [...SETTINGS.kafka, ...SETTINGS.entrances, 'global.config.otlpEndpoint=http://traces:4318'];
    for (const [setting, value] of Object.entries(values)) {
      const [variable, written = '1'] = setting.split('=');
      const { status, stderr } = template('switchyard', [...given, `global.env.${variable}=${written}`]);
      expect([variable, status]).toEqual([variable, 1]);
      expect(stderr).toContain(`: env.${variable} is set by the chart; use \`${value}\` in place of it`);
    }
    const { stderr } = template('switchyard', ['gateway.env.PORT=9090']);
    expect(stderr).toContain('gateway: env.PORT is set by the chart; nothing can change it');
  });

  it('policies are switched chart by chart, and know the releases of charts that stand alone', () => {
    const without = render('switchyard', ...SETTINGS.withoutPolicy);
    expect(names.filter((name) => of(without, 'NetworkPolicy', name) !== undefined)).toEqual(
      names.filter((name) => name !== 'alerts'),
    );
    const config = REQUIRED.map((setting) => setting.replace('global.', ''));
    expect(of(render('groups-admin', ...config), 'NetworkPolicy', 'groups-admin')).toBeUndefined();
    const alone = render('groups-admin', ...config, 'networkPolicy.enabled=true', 'networkPolicy.releases={two,three}');
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
