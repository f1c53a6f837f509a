// Writes a bill of materials (CycloneDX 1.6) of an image, from its file system: the packages of npm and of Debian, and Node.
//   node deploy/docker/sbom.mjs <file> [<root of the file system>]
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Enums, Models, Serialize, SPDX, Spec } from '@cyclonedx/cyclonedx-library';
import { PackageURL } from 'packageurl-js';

const [file, root = '/'] = process.argv.slice(2);
if (file === undefined) {
  process.stderr.write('node deploy/docker/sbom.mjs <file> [<root>]\n');
  process.exit(1);
}
const read = (path) => readFileSync(join(root, path), 'utf8');

/** Identifiers and no more; other combinations are names, since no validator takes them for expressions. */
const EXPRESSION = /^\(?[\w.+-]+(?: (?:AND|OR|WITH) [\w.+-]+)+\)?$/;

function licenseOf(text) {
  if (SPDX.isSupportedSpdxId(text)) return new Models.SpdxLicense(text);
  return EXPRESSION.test(text) ? new Models.LicenseExpression(text) : new Models.NamedLicense(text);
}

/** By package URL: what lies in several folders is one component. */
const components = new Map();

/**
 * @param {{ of: string, type?: string, namespace?: string, name: string, version: string, qualifiers?: Record<string, string>, license?: string, hashes?: [string, string][] }} what
 */
function component({ of, type = Enums.ComponentType.Library, namespace, name, version, qualifiers, license, hashes }) {
  const purl = new PackageURL(of, namespace, name, version, qualifiers, undefined).toString();
  const its = components.get(purl) ?? new Models.Component(type, name, { bomRef: purl, purl, version });
  components.set(purl, its);
  if (of === 'npm' && namespace !== undefined) its.group = namespace;
  if (license) its.licenses.add(licenseOf(license));
  for (const [algorithm, hash] of hashes ?? []) its.hashes.set(algorithm, hash);
  return its;
}

/** Names of what an entry of npm's record needs, and may have. */
const neededBy = ({ dependencies, optionalDependencies, peerDependencies }) =>
  Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies });

/** The packages of npm. Returns those that our own workspaces name. */
function ofNpm() {
  const { packages } = JSON.parse(read('switchyard/node_modules/.package-lock.json'));
  const entries = Object.entries(packages);
  const foreign = entries.filter(([path, { link }]) => /(?:^|\/)node_modules\//.test(path) && !link);
  const byPath = new Map(
    foreign.map(([path, { name = path.split('node_modules/').at(-1), version, license, integrity = '' }]) => {
      const [last, namespace] = name.split('/').reverse();
      const hash = /^sha512-(\S+)$/.exec(integrity)?.[1];
      const hashes = hash && [[Enums.HashAlgorithm['SHA-512'], Buffer.from(hash, 'base64').toString('hex')]];
      return [path, component({ of: 'npm', namespace, name: last, version, license, hashes })];
    }),
  );
  /** What `name` means in the folder `path`: the nearest node_modules that has it. */
  const found = (path, name) => {
    for (let folder = path; ; folder = folder.replace(/(?:^|\/)[^/]*$/, '')) {
      const one = byPath.get(`${folder}${folder && '/'}node_modules/${name}`);
      if (one !== undefined || folder === '') return one;
    }
  };
  const direct = new Set();
  for (const [path, entry] of entries) {
    const its = neededBy(entry).flatMap((name) => found(path, name) ?? []);
    for (const one of its) (byPath.get(path)?.dependencies ?? direct).add(one.bomRef);
  }
  return [...direct];
}

/** The packages that Debian's package manager has installed. */
function ofDebian() {
  const release = /^VERSION_ID="?(\w+)/m.exec(read('etc/os-release'))?.[1];
  const rows = read('var/lib/dpkg/status')
    .split('\n\n')
    .map(
      (paragraph) => new Map([...paragraph.matchAll(/^([\w-]+): (.*)$/gm)].map(([, field, value]) => [field, value])),
    )
    .filter((row) => row.get('Status')?.endsWith(' installed'));
  const byName = new Map(
    rows.map((row) => {
      const [name, version] = [row.get('Package'), row.get('Version')];
      const qualifiers = { arch: row.get('Architecture'), distro: `debian-${release}` };
      return [name, component({ of: 'deb', namespace: 'debian', name, version, qualifiers })];
    }),
  );
  for (const row of rows) {
    const needed = `${row.get('Pre-Depends') ?? ''},${row.get('Depends') ?? ''}`.split(/[,|]/);
    for (const [, name] of needed.flatMap((one) => [...one.matchAll(/^\s*([a-z0-9.+-]+)/g)])) {
      const one = byName.get(name);
      if (one !== undefined) byName.get(row.get('Package')).dependencies.add(one.bomRef);
    }
  }
  return [...byName.values()].map(({ bomRef }) => bomRef);
}

function node() {
  const { stdout, error } = spawnSync(join(root, 'usr/local/bin/node'), ['--version'], { encoding: 'utf8' });
  if (error) throw error;
  const version = stdout.trim().replace(/^v/, '');
  return component({ of: 'generic', type: Enums.ComponentType.Platform, name: 'node', version, license: 'MIT' });
}

const { version } = JSON.parse(read('switchyard/package.json'));
const image = new Models.Component(Enums.ComponentType.Container, 'switchyard', { bomRef: 'switchyard', version });
for (const ref of [...ofNpm(), node().bomRef, ...ofDebian()]) image.dependencies.add(ref);
const bom = new Models.Bom({
  // The same packages have the same document.
  serialNumber: uuidOf([...components.keys()].sort().join('\n')),
  metadata: new Models.Metadata({ component: image }),
  components: new Models.ComponentRepository(components.values()),
});
const serializer = new Serialize.JsonSerializer(new Serialize.JSON.Normalize.Factory(Spec.Spec1dot6));
writeFileSync(file, `${serializer.serialize(bom, { sortLists: true, space: 1 })}\n`);
process.stdout.write(`${file}: ${components.size} components\n`);

/** A UUID of version 8 that follows from a text. */
function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
