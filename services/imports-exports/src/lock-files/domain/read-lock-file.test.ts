import { lockFileNames } from './lock-list';
import { readLockFile } from './read-lock-file';

const isId = (text: string): boolean => text === 'MIT';

/** What a file names: package URLs, and what depends on what. */
function read(path: string, text: string) {
  const parts = [...readLockFile(path, text, isId)];
  const names = new Map(
    parts.flatMap((one): [string, string][] =>
      one.kind === 'component' && one.ref !== undefined ? [[one.ref, one.component.purl ?? '']] : [],
    ),
  );
  const links = parts.flatMap((one) =>
    one.kind === 'link' ? one.dependsOn.map((to) => `${names.get(one.ref) ?? '·'} > ${names.get(to) ?? '?'}`) : [],
  );
  return { packages: [...names.values()], links: links.filter((one) => !one.endsWith('?')), parts };
}

const sri = `sha512-${Buffer.alloc(64, 1).toString('base64')}`;
const npm = (packages: object) => JSON.stringify({ lockfileVersion: 3, packages });

it.each([
  [
    'package-lock.json',
    npm({
      '': { dependencies: { a: '^1' } },
      'node_modules/a': { version: '1.0.0', integrity: sri, license: 'MIT', dependencies: { b: '*', '@s/c': '*' } },
      'node_modules/a/node_modules/b': { version: '2.0.0', dev: true },
      'node_modules/b': { version: '1.0.0', dependencies: { a: '*' } },
      'node_modules/@s/c': { version: '3.0.0' },
      'packages/own': { version: '1.0.0', dependencies: { b: '*' } },
      'node_modules/own': { link: true, resolved: 'packages/own' },
    }),
    ['pkg:npm/a@1.0.0', 'pkg:npm/b@2.0.0', 'pkg:npm/b@1.0.0', 'pkg:npm/%40s/c@3.0.0'],
    [
      'pkg:npm/a@1.0.0 > pkg:npm/b@2.0.0',
      'pkg:npm/a@1.0.0 > pkg:npm/%40s/c@3.0.0',
      'pkg:npm/b@1.0.0 > pkg:npm/a@1.0.0',
      '· > pkg:npm/a@1.0.0',
      '· > pkg:npm/b@1.0.0',
    ],
  ],
  [
    'npm-shrinkwrap.json',
    JSON.stringify({
      lockfileVersion: 1,
      dependencies: {
        a: { version: '1.0.0', requires: { b: '*' }, dependencies: { b: { version: '2.0.0' } } },
        b: { version: '1.0.0' },
      },
    }),
    ['pkg:npm/a@1.0.0', 'pkg:npm/b@2.0.0', 'pkg:npm/b@1.0.0'],
    ['pkg:npm/a@1.0.0 > pkg:npm/b@2.0.0', '· > pkg:npm/a@1.0.0', '· > pkg:npm/b@1.0.0'],
  ],
  [
    'yarn.lock',
    `# yarn lockfile v1\n\n"@s/a@^1.0.0", "@s/a@^1.1.0":\n  version "1.2.0"\n  integrity ${sri}\n  dependencies:\n    b "^2"\n\nb@^2:\n  version "2.0.0"\n`,
    ['pkg:npm/%40s/a@1.2.0', 'pkg:npm/b@2.0.0'],
    ['pkg:npm/%40s/a@1.2.0 > pkg:npm/b@2.0.0', '· > pkg:npm/%40s/a@1.2.0'],
  ],
  [
    'yarn.lock',
    '__metadata:\n  version: 8\n\n"a@npm:^1.0.0":\n  version: 1.2.0\n  resolution: "a@npm:1.2.0"\n  dependencies:\n    b: "npm:^2"\n  languageName: node\n\n"b@npm:^2":\n  version: 2.0.0\n  resolution: "b@npm:2.0.0"\n\n"own@workspace:.":\n  version: 0.0.0-use.local\n  resolution: "own@workspace:."\n  dependencies:\n    a: "npm:^1.0.0"\n',
    ['pkg:npm/a@1.2.0', 'pkg:npm/b@2.0.0'],
    ['pkg:npm/a@1.2.0 > pkg:npm/b@2.0.0', '· > pkg:npm/a@1.2.0'],
  ],
  [
    'pnpm-lock.yaml',
    `lockfileVersion: '9.0'\n\nimporters:\n  .:\n    dependencies:\n      a:\n        specifier: ^1\n        version: 1.0.0\n\npackages:\n\n  '@s/b@2.0.0':\n    resolution: {integrity: ${sri}}\n\n  a@1.0.0:\n    resolution: {integrity: ${sri}}\n\nsnapshots:\n\n  '@s/b@2.0.0': {}\n\n  a@1.0.0(@s/b@2.0.0):\n    dependencies:\n      '@s/b': 2.0.0\n`,
    ['pkg:npm/%40s/b@2.0.0', 'pkg:npm/a@1.0.0'],
    ['pkg:npm/a@1.0.0 > pkg:npm/%40s/b@2.0.0', '· > pkg:npm/a@1.0.0'],
  ],
  [
    'pnpm-lock.yaml',
    'lockfileVersion: 5.4\n\npackages:\n\n  /@s/b/2.0.0:\n    resolution: {tarball: x}\n    dev: true\n\n  /a/1.0.0_peer@1.0.0:\n    dependencies:\n      "@s/b": 2.0.0\n',
    ['pkg:npm/%40s/b@2.0.0', 'pkg:npm/a@1.0.0'],
    ['pkg:npm/a@1.0.0 > pkg:npm/%40s/b@2.0.0', '· > pkg:npm/a@1.0.0'],
  ],
  [
    'requirements.txt',
    `# c\n-r other.txt\nDjango[argon2]==4.2 ; python_version > "3" \\\n  --hash=sha256:${'a'.repeat(64)}\nflask>=2\nzope.interface === 5.0\n`,
    ['pkg:pypi/django@4.2', 'pkg:pypi/zope-interface@5.0'],
    ['· > pkg:pypi/django@4.2', '· > pkg:pypi/zope-interface@5.0'],
  ],
  [
    'Pipfile.lock',
    JSON.stringify({
      _meta: {},
      default: { a: { version: '==1.0', hashes: [`sha256:${'b'.repeat(64)}`] } },
      develop: { b: { version: '==2' } },
    }),
    ['pkg:pypi/a@1.0', 'pkg:pypi/b@2'],
    ['· > pkg:pypi/a@1.0', '· > pkg:pypi/b@2'],
  ],
  [
    'poetry.lock',
    `[[package]]\nname = "A_b"\nversion = "1.0"\nfiles = [{file = "x", hash = "sha256:${'c'.repeat(64)}"}]\n[package.dependencies]\nC = ">=1"\n[[package]]\nname = "c"\nversion = "2.0"\noptional = true\n[metadata]\nlock-version = "2.0"\n`,
    ['pkg:pypi/a-b@1.0', 'pkg:pypi/c@2.0'],
    ['pkg:pypi/a-b@1.0 > pkg:pypi/c@2.0', '· > pkg:pypi/a-b@1.0'],
  ],
  [
    'uv.lock',
    `version = 1\n[[package]]\nname = "own"\nversion = "0"\nsource = { editable = "." }\ndependencies = [{ name = "a" }]\n[[package]]\nname = "a"\nversion = "1.0"\nsource = { registry = "x" }\ndependencies = [{ name = "b" }]\nsdist = { url = "u", hash = "sha256:${'d'.repeat(64)}" }\n[[package]]\nname = "b"\nversion = "2"\n`,
    ['pkg:pypi/a@1.0', 'pkg:pypi/b@2'],
    ['pkg:pypi/a@1.0 > pkg:pypi/b@2', '· > pkg:pypi/a@1.0'],
  ],
  [
    'go.mod',
    'module example.com/own\n\ngo 1.22\n\nrequire github.com/a/b v1.0.0\n\nrequire (\n\tgolang.org/x/net v0.1.0 // indirect\n)\n\nreplace github.com/a/b => ../b\n',
    ['pkg:golang/github.com/a/b@v1.0.0', 'pkg:golang/golang.org/x/net@v0.1.0'],
    ['· > pkg:golang/github.com/a/b@v1.0.0'],
  ],
  [
    'Cargo.lock',
    `version = 3\n[[package]]\nname = "own"\nversion = "0.1.0"\ndependencies = ["a", "b 2.0.0"]\n[[package]]\nname = "a"\nversion = "1.0.0"\nsource = "registry+x"\nchecksum = "${'e'.repeat(64)}"\ndependencies = ["b 1.0.0 (registry+x)"]\n[[package]]\nname = "b"\nversion = "1.0.0"\nsource = "registry+x"\n[[package]]\nname = "b"\nversion = "2.0.0"\nsource = "registry+x"\n`,
    ['pkg:cargo/a@1.0.0', 'pkg:cargo/b@1.0.0', 'pkg:cargo/b@2.0.0'],
    ['pkg:cargo/a@1.0.0 > pkg:cargo/b@1.0.0', '· > pkg:cargo/a@1.0.0', '· > pkg:cargo/b@2.0.0'],
  ],
  [
    'pom.xml',
    `<project><version>9</version><properties><v>1.0</v></properties><dependencyManagement><dependencies><dependency><groupId>m</groupId><artifactId>n</artifactId><version>3</version></dependency></dependencies></dependencyManagement><dependencies><dependency><groupId>g</groupId><artifactId>a</artifactId><version>\${v}</version></dependency><dependency><groupId>m</groupId><artifactId>n</artifactId><scope>test</scope></dependency><dependency><groupId>g</groupId><artifactId>loop</artifactId><version>\${none}</version></dependency></dependencies></project>`,
    ['pkg:maven/g/a@1.0', 'pkg:maven/m/n@3'],
    ['· > pkg:maven/g/a@1.0', '· > pkg:maven/m/n@3'],
  ],
  [
    'gradle.lockfile',
    '# c\norg.a:b:1.0=compileClasspath\nempty=x\n',
    ['pkg:maven/org.a/b@1.0'],
    ['· > pkg:maven/org.a/b@1.0'],
  ],
  [
    'composer.lock',
    JSON.stringify({
      packages: [{ name: 'v/a', version: 'v1.0', license: ['MIT'], require: { php: '*', 'v/b': '*' } }],
      'packages-dev': [{ name: 'v/b', version: '2' }],
    }),
    ['pkg:composer/v/a@1.0', 'pkg:composer/v/b@2'],
    ['pkg:composer/v/a@1.0 > pkg:composer/v/b@2', '· > pkg:composer/v/a@1.0'],
  ],
  [
    'Gemfile.lock',
    `GEM\n  remote: https://x/\n  specs:\n    a (1.0)\n      b (>= 1)\n    b (2.0-x86_64-linux)\n\nPLATFORMS\n  ruby\n\nDEPENDENCIES\n  a (~> 1)!\n\nCHECKSUMS\n  a (1.0) sha256=${'f'.repeat(64)}\n`,
    ['pkg:gem/a@1.0', 'pkg:gem/b@2.0'],
    ['pkg:gem/a@1.0 > pkg:gem/b@2.0', '· > pkg:gem/a@1.0'],
  ],
  [
    'packages.lock.json',
    JSON.stringify({
      version: 1,
      dependencies: {
        'net8.0': {
          A: {
            type: 'Direct',
            resolved: '1.0',
            contentHash: Buffer.alloc(64, 2).toString('base64'),
            dependencies: { B: '2' },
          },
          b: { type: 'Transitive', resolved: '2.0' },
          own: { type: 'Project' },
        },
      },
    }),
    ['pkg:nuget/A@1.0', 'pkg:nuget/b@2.0'],
    ['pkg:nuget/A@1.0 > pkg:nuget/b@2.0', '· > pkg:nuget/A@1.0'],
  ],
])('%s', (name, text, packages, links) => {
  const found = read(`deep/${name}`, text);
  expect(found.packages).toEqual(packages);
  expect(found.links).toEqual(links);
  expect(found.parts).toContainEqual({
    kind: 'property',
    property: { name: 'gitlab:dependency_scanning:input_file:path', value: `deep/${name}` },
  });
  if (/sha|checksum|integrity|contentHash/i.test(text) && name !== 'composer.lock')
    expect(found.parts).toContainEqual(
      expect.objectContaining({
        component: expect.objectContaining({ hashes: [expect.objectContaining({ content: expect.any(String) })] }),
      }),
    );
});

const lenient = ['requirements.txt'];
it.each(lockFileNames.filter((name) => !lenient.includes(name)))('a %s that is none is named as unreadable', (name) => {
  for (const text of ['', '{', 'null', '\0', '[['.repeat(1_000), 'hello: [world]'])
    expect(read(name, text).parts).toEqual([
      { kind: 'property', property: { name: 'switchyard:dependency_scanning:unreadable_file:path', value: name } },
    ]);
});

const times = (count: number, make: (at: number) => string, separator = '\n'): string =>
  Array.from({ length: count }, (_, at) => make(at)).join(separator);
const property = (name: string, of: string, count: number) =>
  `<${name}>${times(count, () => `\${${of}}`, '')}</${name}>`;
const object = (count: number, make: (at: number) => [string, unknown]): object =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => make(at)));

// Each takes minutes where a reader looks at what it has read once more for each line.
it.each<[string, string, string]>([
  [
    'versions of one name',
    'Cargo.lock',
    times(8_000, (at) => `[[package]]\nname = "a"\nversion = "${at}"\nsource = "r"\ndependencies = ["a"]`),
  ],
  [
    'properties of properties',
    'pom.xml',
    `<project><properties>${property('a', 'b', 900)}${property('b', 'c', 900)}${property('c', 'd', 900)}<d>x</d></properties><dependencies><dependency><groupId>\${a}</groupId><artifactId>x</artifactId><version>1</version></dependency></dependencies></project>`,
  ],
  ['blanks', 'requirements.txt', `a${' '.repeat(400_000)}x`],
  ['a line separator', 'requirements.txt', `a==${'x'.repeat(400_000)};\u2028`],
  [
    'workspaces',
    'package-lock.json',
    npm({ 'node_modules/d': { version: '1' }, ...object(30_000, (at) => [`w${at}`, { dependencies: { d: '' } }]) }),
  ],
  ['brackets', 'pnpm-lock.yaml', `lockfileVersion: 9\npackages:\n  "${'('.repeat(400_000)}\u2028":\n`],
  [
    'checksums of one name',
    'Gemfile.lock',
    `GEM\n  specs:\n    a (1)\nCHECKSUMS\n${times(60_000, () => `  a (1) sha256=${'a'.repeat(64)}`)}`,
  ],
  ['platforms', 'Gemfile.lock', `GEM\n  specs:\n    a (${'-x86'.repeat(150_000)}\u2028)`],
])('%s of a %s take time in proportion to its size', (_, name, text) => {
  const start = process.cpuUsage();
  expect(read(name, text).parts.length).toBeGreaterThan(1);
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1e6).toBeLessThan(8);
});

it('a name of Maven whose property is not known stays as it is written, without a package URL', () => {
  const one = (fields: string) => `<dependency>${fields}<version>1</version></dependency>`;
  const named = one(`<groupId>\${own.group}</groupId><artifactId>x-\${none}</artifactId>`);
  const unnamed = one('<groupId>g</groupId>');
  const { parts } = read('pom.xml', `<project><dependencies>${named}${unnamed}</dependencies></project>`);
  const components = parts.flatMap((part) => (part.kind === 'component' ? [part.component] : []));
  const component = { type: 'library', group: `\${own.group}`, name: `x-\${none}`, version: '1' };
  expect(components).toEqual([{ ...component, hashes: [], licenses: [], properties: [] }]);
});

it.each<[string, string, string]>([
  [
    'folders in folders',
    'package-lock.json',
    npm({
      [times(1_000, () => 'node_modules/a', '/')]: {
        version: '1',
        dependencies: object(1_000, (at) => [`d${at}`, '']),
      },
    }),
  ],
  [
    'nested packages',
    'npm-shrinkwrap.json',
    `{"lockfileVersion":1${',"dependencies":{"a":{"version":"1"'.repeat(3_000)}${'}}'.repeat(3_000)}}`,
  ],
  [
    'a long header',
    'yarn.lock',
    `# yarn lockfile v1\n\na@1:\n  version "1"\n  dependencies:\n${times(10_000, () => '    b "1"')}\nb@1, ${'b'.repeat(9_000)}:\n  version "1"\n\n${'c'.repeat(9_000)}@1, a@1:\n  version "1"\n  dependencies:\n${times(10_000, () => '    b "1"')}`,
  ],
  [
    'files of one name',
    'poetry.lock',
    `${times(4_000, () => '[[package]]\nname = "a"\nversion = "1"')}\n[metadata.files]\na = [${times(500, () => `{hash = "md5:${'a'.repeat(32)}"}`, ',')}]`,
  ],
  [
    'a long framework',
    'packages.lock.json',
    JSON.stringify({
      dependencies: {
        ['n'.repeat(1_000_000)]: object(100, (at) => [`p${at}`, { type: 'Direct', resolved: '1' }]),
      },
    }),
  ],
  [
    'links',
    'composer.lock',
    JSON.stringify({ packages: [{ name: 'a', version: '1', require: object(500_001, (at) => [`${at}`, '']) }] }),
  ],
])('%s of a %s, made into more than its size allows, are unreadable', (_, name, text) => {
  expect(read(name, text).parts).toEqual([
    { kind: 'property', property: { name: 'switchyard:dependency_scanning:unreadable_file:path', value: name } },
  ]);
});
