import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFINITIONS, REQUIRED, SETTINGS } from '../support/chart-settings';

jest.setTimeout(600_000);

const helmProgram = process.env.HELM || 'helm';
const prefix = `switchyard-test-${randomBytes(4).toString('hex')}`;
const release = 'one';
const kinds =
  'deployments,statefulsets,services,serviceaccounts,networkpolicies,poddisruptionbudgets,ingresses,cronjobs,hpa';

function run(program: string, args: readonly string[], input = ''): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { input, ...output });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}\n${stderr}`);
  return stdout;
}
const output = { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 } as const;

const folder = mkdtempSync(join(tmpdir(), 'switchyard-charts-'));
const chart = join(folder, 'switchyard');
beforeAll(() => void run('sh', [join(__dirname, '../../helm/package.sh'), folder]));
afterAll(() => rmSync(folder, { recursive: true }));

const values = (settings: readonly string[]) =>
  [...REQUIRED, 'global.config.s3.bucket=files', ...settings].flatMap((setting) => ['--set', setting]);

const known = run('kubectl', ['api-versions']);
const rows = Object.entries(SETTINGS).map(([name, settings]) => {
  const definition = DEFINITIONS[name as keyof typeof SETTINGS];
  return { name, settings, missing: definition && !known.includes(`${definition}/`) ? definition : undefined };
});
for (const { name, missing } of rows.filter((row) => row.missing)) {
  test.skip(`${name} (skipped: the cluster does not define ${missing})`, () => undefined);
}

describe.each(rows.filter(({ missing }) => missing === undefined))('$name', ({ name, settings }) => {
  const namespace = `${prefix}-${name.toLowerCase()}`;
  const kubectl = (...args: string[]) => run('kubectl', ['--namespace', namespace, ...args]);
  const helm = (...args: string[]) => run(helmProgram, ['--namespace', namespace, ...args]);
  beforeAll(() => {
    run('kubectl', ['create', 'namespace', namespace]);
    // An API server alone makes none, and takes no pod without it.
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace } };
    run('kubectl', ['apply', '--server-side', '--filename', '-'], JSON.stringify(account));
  });
  afterAll(() => void run('kubectl', ['delete', 'namespace', namespace, '--wait=false']));

  /** Objects of the release that the cluster has. */
  const objects = () =>
    kubectl('get', kinds, '--selector', `app.kubernetes.io/instance=${release}`, '--output', 'name');

  /** What of the release the cluster has otherwise than its manifest says. */
  function differences(): string {
    const input = helm('get', 'manifest', release);
    const args = ['--namespace', namespace, 'diff', '--server-side', '--force-conflicts', '--filename', '-'];
    const { status, stdout, stderr } = spawnSync('kubectl', args, { input, ...output });
    return status === 0 ? '' : `${stdout}${stderr}`;
  }

  test('every object is taken as it is written', () => {
    const manifest = helm('template', release, chart, ...values(settings));
    const strict = ['apply', '--server-side', '--dry-run=server', '--validate=strict', '--filename', '-'];
    run('kubectl', ['--namespace', namespace, ...strict], manifest);
  });

  // Without hooks: no pod gets anywhere, since there is neither a database nor an image.
  test('a release is installed, upgraded to it, rolled back and uninstalled', () => {
    // What a claim asks for cannot change while it is there.
    const claims = settings.filter((setting) => setting.includes('.persistence.'));
    helm('install', release, chart, '--no-hooks', ...values(claims));
    const installed = objects();
    expect(installed).not.toBe('');
    expect(differences()).toBe('');
    helm('upgrade', release, chart, '--no-hooks', ...values(settings));
    expect(differences()).toBe('');
    helm('rollback', release, '1', '--no-hooks');
    expect(objects()).toBe(installed);
    expect(differences()).toBe('');
    helm('uninstall', release, '--no-hooks', '--wait');
    expect(objects()).toBe('');
    const kept = kubectl('get', 'persistentvolumeclaims', '--output', 'name').includes('/one-merge-requests');
    expect(kept).toBe(!settings.some((setting) => setting.startsWith('merge-requests.persistence.existingClaim=')));
  });
});
