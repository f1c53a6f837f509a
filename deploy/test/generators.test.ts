import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Access, Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { anonymous, connect, type ServiceDefinition } from '@switchyard/rpc';
import { eventually, freePort } from '@switchyard/testkit';
import { endProcessesOf } from '../../libs/machine/src/leftovers.mjs';
import { linkWorkspace, scratchCopy } from './support/scratch-copy';

const minutes = 60_000;

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

beforeAll(() => {
  root = scratchCopy();
  run('.', 'turbo', 'gen', 'service', '--args', 'payroll', 'pay-run');
  linkWorkspace(root, 'services/payroll');
  run('.', 'turbo', 'gen', 'resource', '--args', 'payroll', 'salary');
  run('protos', 'buf', 'generate');
  run('services/payroll', 'prisma', 'generate');
  run('.', 'tsc', '-b', 'services/payroll', 'services/gateway');
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

    const data = join(root, '.switchyard');
    const key = createPrivateKey(readFileSync(join(data, 'keys/gateway.key')));
    const listens = /"grpc_port":(\d+)/.exec(readFileSync(join(data, 'logs/payroll.log'), 'utf8'));
    const peer = connect(`127.0.0.1:${listens?.[1]}`, { name: 'gateway', key });
    const protos = join(root, 'protos/gen/switchyard/payroll/v1/pay_run');
    const { PayRunServiceService } = (await import(protos)) as { PayRunServiceService: ServiceDefinition };
    const payRuns = peer.client(PayRunServiceService) as unknown as Record<
      'createPayRun',
      (request: object, options: object) => Promise<{ json: Buffer }>
    >;
    const access = Access.fromPartial({ id: 1, kind: Access_Kind.KIND_PROJECT, level: 40, tier: 'ultimate' });
    const actor = { ...anonymous, userId: 7, scopes: ['api'] };
    const made = await payRuns.createPayRun(
      { projectId: 1, name: 'March' },
      { requestId: 'test', actor, access, directorySequence: 0 },
    );
    expect(JSON.parse(made.json.toString())).toMatchObject({ project_id: 1, name: 'March' });
    // Its endpoints are there as well, without a word in the gateway's configuration.
    expect((await fetch(`http://127.0.0.1:${port}/api/v4/projects/1/pay_runs`)).status).toBe(404);
    peer.close();
    launcher.kill('SIGTERM');
    await ended;
  },
  4 * minutes,
);
