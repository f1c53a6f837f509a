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

/** Writes a source distribution that builds itself, so that no other package is needed, to a folder. */
const sourceScript = `
import io, sys, tarfile
folder, version = sys.argv[1:]
files = {
    "PKG-INFO": f"Metadata-Version: 2.1\\nName: pip-app\\nVersion: {version}\\n",
    "pyproject.toml": '[build-system]\\nrequires = []\\nbuild-backend = "backend"\\nbackend-path = ["."]\\n',
    "backend.py": f'''
import os
def prepare_metadata_for_build_wheel(folder, config_settings=None):
    name = "pip_app-{version}.dist-info"
    os.mkdir(os.path.join(folder, name))
    with open(os.path.join(folder, name, "METADATA"), "w") as metadata:
        metadata.write("Metadata-Version: 2.1\\\\nName: pip-app\\\\nVersion: {version}\\\\n")
    return name
''',
}
with tarfile.open(f"{folder}/pip_app-{version}.tar.gz", "w:gz") as archive:
    for name, text in files.items():
        entry = tarfile.TarInfo(f"pip_app-{version}/{name}")
        entry.size = len(text.encode())
        archive.addfile(entry, io.BytesIO(text.encode()))
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
    const shown = ['content-type', 'content-disposition'].flatMap((name) => {
      const value = reply.headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    response.writeHead(reply.status, Object.fromEntries(shown));
    response.end(Buffer.from(await reply.arrayBuffer()));
  });
  await new Promise<void>((settle) => front.listen(0, '127.0.0.1', settle));
});
afterAll(async () => {
  front?.close();
  rmSync(folder, { recursive: true, force: true });
  await here?.close();
});

async function publish(version: string, requiresPython: string, kind: 'wheel' | 'source' = 'wheel'): Promise<void> {
  execFileSync('python3', ['-c', kind === 'wheel' ? wheelScript : sourceScript, folder, version]);
  const name = `pip_app-${version}${kind === 'wheel' ? '-py3-none-any.whl' : '.tar.gz'}`;
  const form = new FormData();
  for (const [field, value] of Object.entries({ name: 'Pip.App', version, requires_python: requiresPython }))
    form.set(field, value);
  form.set('content', new Blob([readFileSync(join(folder, name))]), name);
  expect((await here.project('POST', 'pypi', { body: form })).status).toBe(201);
}

withPip(
  'pip installs the newest version that runs on its Python, and downloads a source distribution (skipped without python3 and pip)',
  async () => {
    await publish('1.0', '>=3.0');
    await publish('2.0', '>=3.99');
    await publish('0.9', '', 'source');
    const { port } = front.address() as AddressInfo;
    const index = `http://127.0.0.1:${port}/api/v4/projects/${here.projectId}/packages/pypi/simple`;
    const target = join(folder, 'installed');
    const options = ['--isolated', '--no-cache-dir', '--disable-pip-version-check', '--no-deps', '--index-url', index];
    await run('python3', ['-m', 'pip', 'install', ...options, '--target', target, 'pip_app']);
    expect(readdirSync(target)).toContain('pip_app-1.0.dist-info');
    expect(readFileSync(join(target, 'pip_app.py'), 'utf8')).toBe("version = '1.0'");
    const source = ['--no-binary', ':all:', '--dest', target, 'pip_app==0.9'];
    const { stdout, stderr } = await run('python3', ['-m', 'pip', 'download', ...options, ...source]);
    // Without a name that it can read pip guesses how to unpack.
    expect(`${stdout}${stderr}`).not.toMatch(/WARNING/);
    expect(readdirSync(target)).toContain('pip_app-0.9.tar.gz');
  },
);
