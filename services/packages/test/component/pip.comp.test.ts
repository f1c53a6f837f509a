import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type PackageFormats, packageFormats } from './package-formats';

/** Writes the smallest wheel of a version to a folder. */
const wheelScript = `
import sys, zipfile
folder, version = sys.argv[1:]
with zipfile.ZipFile(f"{folder}/pip_app-{version}-py3-none-any.whl", "w") as wheel:
    info = f"pip_app-{version}.dist-info"
    wheel.writestr("pip_app.py", f"version = {version!r}")
    wheel.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\\nName: pip-app\\nVersion: {version}\\n")
    wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr(f"{info}/RECORD", "")
`;

function hasPip(): boolean {
  try {
    execFileSync('python3', ['-m', 'pip', '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const run = promisify(execFile);
const withPip = hasPip() ? it : it.skip;
let here: PackageFormats;
let front: Server;
let folder: string;

beforeAll(async () => {
  here = await packageFormats({});
  folder = mkdtempSync(join(tmpdir(), 'switchyard-pip-'));
  // In place of the gateway, without its checks: a request of pip as it comes.
  front = createServer(async (request, response) => {
    const path = (request.url ?? '').replace(/^\/api\/v4\/projects\/\d+\/packages\//, '').replace(/\/$/, '');
    const headers = { Accept: request.headers.accept ?? '' };
    const reply = await here.project(request.method ?? '', path, { headers });
    response.writeHead(reply.status, { 'Content-Type': reply.headers.get('content-type') ?? '' });
    response.end(Buffer.from(await reply.arrayBuffer()));
  });
  await new Promise<void>((settle) => front.listen(0, '127.0.0.1', settle));
});
afterAll(async () => {
  front?.close();
  rmSync(folder, { recursive: true, force: true });
  await here?.close();
});

async function publish(version: string, requiresPython: string): Promise<void> {
  execFileSync('python3', ['-c', wheelScript, folder, version]);
  const name = `pip_app-${version}-py3-none-any.whl`;
  const form = new FormData();
  for (const [field, value] of Object.entries({ name: 'Pip.App', version, requires_python: requiresPython }))
    form.set(field, value);
  form.set('content', new Blob([readFileSync(join(folder, name))]), name);
  expect((await here.project('POST', 'pypi', { body: form })).status).toBe(201);
}

withPip('pip installs the newest version that runs on its Python (skipped without python3 and pip)', async () => {
  await publish('1.0', '>=3.0');
  await publish('2.0', '>=3.99');
  const { port } = front.address() as AddressInfo;
  const index = `http://127.0.0.1:${port}/api/v4/projects/${here.projectId}/packages/pypi/simple`;
  const target = join(folder, 'installed');
  const options = ['--isolated', '--no-cache-dir', '--disable-pip-version-check', '--no-deps', '--index-url', index];
  await run('python3', ['-m', 'pip', 'install', ...options, '--target', target, 'pip_app']);
  expect(readdirSync(target)).toContain('pip_app-1.0.dist-info');
  expect(readFileSync(join(target, 'pip_app.py'), 'utf8')).toBe("version = '1.0'");
});
