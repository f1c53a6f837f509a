import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, freePort } from '@switchyard/testkit';
import { endProcessesOf } from '../../libs/machine/src/leftovers.mjs';
import { checkEdits, resourceEdits, withArea } from '../../turbo/generators/edits';
import { namesOf } from '../../turbo/generators/names';
import { linkWorkspace, scratchCopy } from './support/scratch-copy';

const minutes = 60_000;

const clone = join(__dirname, '../..');

let root: string;

const run = (folder: string, file: string, ...args: string[]): string => {
  try {
    return execFileSync(join(root, 'node_modules/.bin', file), args, {
      cwd: join(root, folder),
      encoding: 'utf8',
      stdio: 'pipe',
      // A package that the clone lacks must not be fetched.
      env: { ...process.env, npm_config_offline: 'true', CHECKPOINT_DISABLE: '1' },
    });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`${file} ${args.join(' ')}\n${stdout}\n${stderr}`);
  }
};

describe('a resource of a service that is there', () => {
  const names = (service: string) => namesOf(clone, { service, noun: 'pay-run' });

  test.each(['alerts', 'collaboration', 'groups-admin', 'merge-requests'])('finds its places in %s', (service) => {
    expect(checkEdits(clone, resourceEdits(names(service)))).toBe('every place is found');
    const text = readFileSync(join(clone, 'services', service, 'src/service.ts'), 'utf8');
    const lines = withArea(text, names(service)).split('\n');
    const imported = lines.indexOf("import { composePayRuns } from './pay-runs';");
    const area = lines.indexOf('composePayRuns(given),');
    expect(lines[imported - 1]).toMatch(/ from '.+';$/);
    expect(lines[imported + 1]).toBe('');
    expect(lines[area + 1]?.trim()).toBe('// New areas');
    expect(lines.filter((_, at) => at !== imported && at !== area).join('\n')).toBe(text);
  });

  test('is refused before anything is written where a place is missing', () => {
    expect(() => withArea("import { join } from 'node:path';\n\n", names('alerts'))).toThrow('New areas');
    expect(() => checkEdits(clone, resourceEdits(names('gateway')))).toThrow(
      'services/gateway/src/service.ts does not exist',
    );
  });
});

describe('a generated service', () => {
  beforeAll(() => {
    root = scratchCopy();
    run('.', 'turbo', 'gen', 'service', '--args', 'payroll', 'pay-run');
    linkWorkspace(root, 'services/payroll');
    run('.', 'turbo', 'gen', 'resource', '--args', 'payroll', 'salary');
    run('protos', 'buf', 'generate');
    run('services/payroll', 'prisma', 'generate');
    run('.', 'tsc', '-b', 'services/payroll', 'services/gateway');
    execFileSync(process.execPath, ['components.mjs'], { cwd: join(root, 'protos') });
  }, 4 * minutes);

  afterAll(async () => {
    await endProcessesOf(root);
    rmSync(root, { recursive: true, force: true });
  });

  test(
    'what the generators write is well-formed, and its tests pass',
    () => {
      run('protos', 'buf', 'lint');
      run('.', 'biome', 'check', 'services/payroll', 'services/gateway', 'deploy/catalogue.mjs');
      run('services/payroll', 'tsc', '-p', 'tsconfig.test.json');
      const report = run('.', 'jest', 'services/payroll', 'services/gateway/test/routes/payroll', '--json', '--silent');
      expect(JSON.parse(report)).toMatchObject({ success: true, numPassedTestSuites: 7 });
    },
    4 * minutes,
  );

  test(
    'a service costs its folder and its row: the launcher starts it beside the others, and it answers',
    async () => {
      const port = await freePort();
      const launcher: ChildProcess = spawn(process.execPath, ['deploy/test/stand-ins/launch.mjs', root], {
        cwd: root,
        env: { ...process.env, KAFKA_BROKERS: '', PORT: String(port), SWITCHYARD_DATA: '', LOG_LEVEL: 'info' },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const ended = new Promise((settle) => launcher.once('close', settle));
      let output = '';
      launcher.stdout?.on('data', (chunk) => {
        output += chunk;
      });
      await eventually(() => expect(output).toContain('Switchyard is running'), { within: 2 * minutes });

      const token = readFileSync(join(root, '.switchyard/root-token'), 'utf8').trim();
      const post = async (path: string, body: object): Promise<unknown> => {
        const response = await fetch(`http://127.0.0.1:${port}/api/v4${path}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json', 'PRIVATE-TOKEN': token },
          body: JSON.stringify(body),
        });
        return response.json();
      };
      const { id } = (await post('/projects', { name: 'Payroll' })) as { id: number };
      // Through the gateway, without a word in its configuration.
      expect(await post(`/projects/${id}/pay_runs`, { name: 'March' })).toMatchObject({
        project_id: id,
        name: 'March',
      });
      launcher.kill('SIGTERM');
      await ended;
    },
    4 * minutes,
  );
});
