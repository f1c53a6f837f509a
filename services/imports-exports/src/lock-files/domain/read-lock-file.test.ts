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
    ['pkg:pypi/django@4.2', 'pkg:pypi/flask', 'pkg:pypi/zope-interface@5.0'],
    ['· > pkg:pypi/django@4.2', '· > pkg:pypi/flask', '· > pkg:pypi/zope-interface@5.0'],
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
    ['', 'pkg:golang/golang.org/x/net@v0.1.0'],
    ['· > '],
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
    ['pkg:maven/g/a@1.0', 'pkg:maven/m/n@3', 'pkg:maven/g/loop'],
    ['· > pkg:maven/g/a@1.0', '· > pkg:maven/m/n@3', '· > pkg:maven/g/loop'],
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

const lines = (...all: string[]): string => `${all.join('\n')}\n`;
const dependency = (group: string, artifact: string, more = ''): string =>
  `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId>${more}</dependency>`;

/** Each with what it names, as name and version, package URL and scope, and what the project itself depends on. */
it.each<[string, string, string, string[], string[]]>([
  [
    'an alias is the package behind it, as yarn 1 writes it',
    'yarn.lock',
    lines(
      '# yarn lockfile v1',
      ...['"string-width-cjs@npm:string-width@^4.2.0", string-width@^4.1.0:', '  name string-width-cjs'],
      ...['  version "4.2.3"', ''],
      ...['"@s/x@npm:@t/y@^1":', '  version "1.0.0"', ''],
      ...['"own@file:../own":', '  version "0.0.1"', '  dependencies:', '    "@s/x" "npm:@t/y@^1"', ''],
      ...['"g@git+https://u:p@github.com/a/g.git":', '  version "1.0.0"'],
      ...['  resolved "git+https://u:p@github.com/a/g.git#0123"', ''],
      ...['h@a/h:', '  version "2.0.0"', '  resolved "https://codeload.github.com/a/h/tar.gz/0123"', ''],
      ...['"packed@file:packed.tgz":', '  version "3.0.0"'],
    ),
    [
      'string-width@4.2.3 pkg:npm/string-width@4.2.3',
      'y@1.0.0 pkg:npm/%40t/y@1.0.0',
      'g@1.0.0 pkg:npm/g@1.0.0?vcs_url=git+https://github.com/a/g.git@0123',
      'h@2.0.0 pkg:npm/h@2.0.0?download_url=https://codeload.github.com/a/h/tar.gz/0123',
      'packed@3.0.0',
    ],
    ['string-width', 'y', 'g', 'h', 'packed'],
  ],
  [
    'an alias is the package behind it, as yarn 2 writes it',
    'yarn.lock',
    lines(
      ...['__metadata:', '  version: 8', ''],
      ...['"app@workspace:.":', '  version: 0.0.0-use.local', '  resolution: "app@workspace:."', '  dependencies:'],
      ...['    foo: "npm:bar@^1.0.0"', '    typescript: "patch:typescript@npm%3A^5#~builtin<compat/typescript>"', ''],
      ...['"bar@npm:^1.1.0, foo@npm:bar@^1.0.0":', '  version: 1.2.0', '  resolution: "bar@npm:1.2.0"', ''],
      '"typescript@patch:typescript@npm%3A^5#~builtin<compat/typescript>":',
      ...[
        '  version: 5.4.5',
        '  resolution: "typescript@patch:typescript@npm%3A5.4.5#~builtin<compat/typescript>"',
        '',
      ],
      ...['"own@file:../own::locator=app%40workspace%3A.":', '  version: 1.0.0'],
      '  resolution: "own@file:../own#../own::hash=1&locator=app%40workspace%3A."',
    ),
    ['bar@1.2.0 pkg:npm/bar@1.2.0', 'typescript@5.4.5 pkg:npm/typescript@5.4.5'],
    ['bar', 'typescript'],
  ],
  [
    'what is no version is none',
    'package-lock.json',
    JSON.stringify({
      lockfileVersion: 1,
      dependencies: {
        'string-width-cjs': { version: 'npm:string-width@4.2.3' },
        g: { version: 'git+ssh://git@github.com/a/g.git#0123', from: 'g@git+ssh://git@github.com/a/g.git' },
        own: { version: 'file:../own', requires: { w: '^1' } },
        packed: { version: 'file:packed.tgz' },
        t: { version: 'https://example.org/t.tgz?token=secret' },
        w: { version: '1.0.0' },
      },
    }),
    [
      'string-width@4.2.3 pkg:npm/string-width@4.2.3',
      'g pkg:npm/g?vcs_url=git+ssh://github.com/a/g.git@0123',
      'packed',
      't pkg:npm/t?download_url=https://example.org/t.tgz',
      'w@1.0.0 pkg:npm/w@1.0.0',
    ],
    ['string-width', 'g', 'packed', 't', 'w'],
  ],
  [
    'what is from elsewhere is not the package of the registry',
    'package-lock.json',
    npm({
      '': { dependencies: { alias: 'npm:b@1', g: 'a/g', packed: 'file:packed.tgz', own: 'file:own', none: '*' } },
      'node_modules/alias': { name: 'b', version: '1.0.0', resolved: 'https://example.org/b/-/b-1.0.0.tgz' },
      'node_modules/g': { version: '1.0.0', resolved: 'git+ssh://git@github.com/a/g.git#0123' },
      'node_modules/packed': { version: '1.0.0', resolved: 'file:packed.tgz' },
      'node_modules/own': { version: '1.0.0', resolved: 'file:own', dependencies: { w: '*' } },
      'node_modules/w': { version: '1.0.0' },
      'node_modules/none': {},
    }),
    [
      'b@1.0.0 pkg:npm/b@1.0.0',
      'g@1.0.0 pkg:npm/g@1.0.0?vcs_url=git+ssh://github.com/a/g.git@0123',
      'packed@1.0.0',
      'w@1.0.0 pkg:npm/w@1.0.0',
      'none pkg:npm/none',
    ],
    ['b', 'g', 'packed', 'none', 'w'],
  ],
  [
    'what importers ask for is what the project asks for, and development is optional',
    'pnpm-lock.yaml',
    lines(
      ...["lockfileVersion: '9.0'", '', 'importers:', '', '  .:', '    dependencies:'],
      ...['      a:', '        specifier: ^1', '        version: 1.0.0(b@2.0.0)'],
      ...['      alias:', '        specifier: npm:real@^1', '        version: real@1.0.0'],
      ...['      b:', '        specifier: ^2', '        version: 2.0.0'],
      ...['      c:', '        specifier: github:a/c', '        version: https://codeload.github.com/a/c/tar.gz/0123'],
      ...['    devDependencies:', '      dev:', '        specifier: ^1', '        version: 1.0.0', ''],
      ...[
        '  packages/own:',
        '    dependencies:',
        '      app:',
        '        specifier: workspace:*',
        '        version: link:../..',
      ],
      ...['      d:', '        specifier: ^1', '        version: 1.0.0', ''],
      ...[
        'packages:',
        '',
        '  a@1.0.0:',
        '    resolution: {integrity: x}',
        '',
        '  b@2.0.0:',
        '    resolution: {integrity: x}',
        '',
      ],
      ...['  c@https://codeload.github.com/a/c/tar.gz/0123:', '    resolution: {tarball: x}', '    version: 3.0.0', ''],
      ...['  d@1.0.0:', '    resolution: {integrity: x}', '', '  dev@1.0.0:', '    resolution: {integrity: x}', ''],
      ...['  only@1.0.0:', '    resolution: {integrity: x}', '', '  real@1.0.0:', '    resolution: {integrity: x}', ''],
      ...['snapshots:', '', '  a@1.0.0(b@2.0.0):', '    dependencies:', '      b: 2.0.0', '', '  dev@1.0.0:'],
      ...['    dependencies:', '      b: 2.0.0', '      only: 1.0.0'],
    ),
    [
      'a@1.0.0 pkg:npm/a@1.0.0',
      'b@2.0.0 pkg:npm/b@2.0.0',
      'c@3.0.0 pkg:npm/c@3.0.0?download_url=https://codeload.github.com/a/c/tar.gz/0123',
      'd@1.0.0 pkg:npm/d@1.0.0',
      'dev@1.0.0 pkg:npm/dev@1.0.0 optional',
      'only@1.0.0 pkg:npm/only@1.0.0 optional',
      'real@1.0.0 pkg:npm/real@1.0.0',
    ],
    ['a', 'real', 'b', 'c', 'd', 'dev'],
  ],
  [
    'what the only project asks for',
    'pnpm-lock.yaml',
    lines(
      ...["lockfileVersion: '6.0'", '', 'dependencies:', '  a:', '    specifier: ^1', '    version: 1.0.0(@s/b@2.0.0)'],
      ...['  c:', '    specifier: github:a/c', '    version: github.com/a/c/0123', ''],
      ...['devDependencies:', "  '@s/b':", '    specifier: ^2', '    version: 2.0.0', '', 'packages:', ''],
      ...[
        '  /@s/b@2.0.0:',
        '    resolution: {integrity: x}',
        '',
        '  /a@1.0.0(@s/b@2.0.0):',
        '    resolution: {integrity: x}',
      ],
      ...['    dependencies:', "      '@s/b': 2.0.0", '    dev: false', ''],
      ...[
        '  github.com/a/c/0123:',
        '    resolution: {tarball: x}',
        '    name: c',
        '    version: 3.0.0',
        '    dev: false',
        '',
      ],
      ...[
        '  file:own:',
        '    resolution: {directory: own, type: directory}',
        '    name: own',
        '    dependencies:',
        '      a: 1.0.0',
      ],
    ),
    ['b@2.0.0 pkg:npm/%40s/b@2.0.0', 'a@1.0.0 pkg:npm/a@1.0.0', 'c@3.0.0'],
    ['a', 'c', 'b'],
  ],
  [
    'peers of versions',
    'pnpm-lock.yaml',
    lines(
      ...['lockfileVersion: 5.4', '', 'specifiers:', '  a: ^1', '', 'dependencies:', '  a: 1.0.0_@babel+core@7.0.0'],
      ...['  alias: /real/1.0.0', '', 'packages:', '', '  /@babel/core/7.0.0:', '    dev: false', ''],
      ...['  /a/1.0.0_@babel+core@7.0.0:', '    dependencies:', "      '@babel/core': 7.0.0"],
      ...[
        '      c: 1.0.0_@babel+core@7.0.0',
        '    dev: false',
        '',
        '  /c/1.0.0_@babel+core@7.0.0:',
        '    dev: true',
        '',
      ],
      ...['  /real/1.0.0:', '    dev: false'],
    ),
    [
      'core@7.0.0 pkg:npm/%40babel/core@7.0.0',
      'a@1.0.0 pkg:npm/a@1.0.0',
      'c@1.0.0 pkg:npm/c@1.0.0 optional',
      'real@1.0.0 pkg:npm/real@1.0.0',
    ],
    ['a', 'real'],
  ],
  [
    'ranges, patterns and variables are no versions',
    'requirements.txt',
    lines(
      ...['django==4.2.*', 'e==$VERSION', 'f==1.0,<2', 'g @ https://example.org/g.whl ; python_version > "3"'],
      ...['h[x] (==1!2.0+local)', 'i~=1.0', 'j  # a comment', 'k==1.0;extra == "x"', 'own.whl/path', './own.whl'],
      ...['-r other.txt', '--index-url https://user:secret@pypi.example.org/simple', 'hello: [world]'],
      ...['-e git+https://u:p@example.org/x.git@main#egg=Y_z', 'git+https://example.org/x.git', '-e .'],
    ),
    [
      'django pkg:pypi/django',
      'e pkg:pypi/e',
      'f@1.0 pkg:pypi/f@1.0',
      'g pkg:pypi/g?download_url=https://example.org/g.whl',
      'h@1!2.0+local pkg:pypi/h@1!2.0+local',
      'i pkg:pypi/i',
      'j pkg:pypi/j',
      'k@1.0 pkg:pypi/k@1.0',
      'y-z pkg:pypi/y-z?vcs_url=git+https://example.org/x.git@main',
      'x.git',
    ],
    ['django', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'y-z', 'x.git'],
  ],
  [
    'every category counts',
    'Pipfile.lock',
    JSON.stringify({
      _meta: {},
      default: {
        star: { version: '*' },
        g: { git: 'https://example.org/g.git', ref: '0123' },
        own: { path: '.', editable: true },
        both: { version: '==1.0' },
      },
      develop: { both: { version: '==1.0' }, test: { version: '==2' } },
      docs: { d: { version: '==3' } },
    }),
    [
      'star pkg:pypi/star',
      'g pkg:pypi/g?vcs_url=git+https://example.org/g.git@0123',
      'both@1.0 pkg:pypi/both@1.0',
      'both@1.0 pkg:pypi/both@1.0 optional',
      'test@2 pkg:pypi/test@2 optional',
      'd@3 pkg:pypi/d@3',
    ],
    ['star', 'g', 'both', 'both', 'test', 'd'],
  ],
  [
    'groups and categories',
    'poetry.lock',
    lines(
      ...['[[package]]', 'name = "a"', 'version = "1"', 'groups = ["dev"]'],
      ...['[[package]]', 'name = "b"', 'version = "1"', 'groups = ["main", "dev"]'],
      ...['[[package]]', 'name = "c"', 'version = "1"', 'category = "dev"'],
      ...['[[package]]', 'name = "g"', 'version = "1"', '[package.source]', 'type = "git"'],
      ...['url = "https://example.org/g.git"', 'resolved_reference = "0123"'],
      ...['[[package]]', 'name = "own"', 'version = "1"', '[package.source]', 'type = "directory"', 'url = "../own"'],
      ...['[[package]]', 'version = "1"'],
    ),
    [
      'a@1 pkg:pypi/a@1 optional',
      'b@1 pkg:pypi/b@1',
      'c@1 pkg:pypi/c@1 optional',
      'g@1 pkg:pypi/g@1?vcs_url=git+https://example.org/g.git@0123',
    ],
    ['a', 'b', 'c', 'g'],
  ],
  [
    'two versions of one package, extras and groups',
    'uv.lock',
    lines(
      ...['version = 1', '[[package]]', 'name = "own"', 'version = "0.1"', 'source = { virtual = "." }'],
      'dependencies = [{ name = "n", version = "1.26", marker = "a" }, { name = "n", version = "2.0", marker = "b" }]',
      ...['[package.optional-dependencies]', 'extra = [{ name = "opt", extra = ["x"] }]'],
      ...['[package.dev-dependencies]', 'dev = [{ name = "t" }]'],
      ...['[[package]]', 'name = "n"', 'version = "1.26"', 'source = { registry = "x" }'],
      ...['[[package]]', 'name = "n"', 'version = "2.0"', 'source = { registry = "x" }'],
      ...['[[package]]', 'name = "opt"', 'version = "1"', 'source = { registry = "x" }'],
      ...['[package.optional-dependencies]', 'x = [{ name = "of-x" }]'],
      ...['[[package]]', 'name = "of-x"', 'version = "1"', 'source = { url = "https://example.org/of-x.whl" }'],
      ...['[[package]]', 'name = "t"', 'version = "8"', 'source = { git = "https://example.org/t.git?rev=main#0123" }'],
      ...['[[package]]', 'name = "member"', 'source = { directory = "../member" }', 'dependencies = [{ name = "m" }]'],
      ...['[[package]]', 'name = "m"', 'version = "1"', 'source = { path = "m.whl" }'],
    ),
    [
      'n@1.26 pkg:pypi/n@1.26',
      'n@2.0 pkg:pypi/n@2.0',
      'opt@1 pkg:pypi/opt@1',
      'of-x@1 pkg:pypi/of-x@1?download_url=https://example.org/of-x.whl',
      't@8 pkg:pypi/t@8?vcs_url=git+https://example.org/t.git@0123 optional',
      'm@1',
    ],
    ['n', 'n', 'opt', 'm', 't'],
  ],
  [
    'what replaces a module is built',
    'go.mod',
    lines(
      ...[
        'module example.com/own',
        'require (',
        '\tgithub.com/burnt/toml v1.3.2',
        '\t"quoted.org/x" v1.0.0 // indirect; by hand',
      ],
      ...[
        '\tgithub.com/a/b/v2 v2.0.0+incompatible // see // indirect',
        ')',
        'require(',
        '\tgithub.com/c/d v1.0.0',
        '\traw.org/y v1.0.0',
      ],
      ...[
        ')',
        'require github.com/e/f v1.5.0',
        'exclude (',
        '\tgithub.com/e/f v1.0.0',
        ')',
        'retract [v1.0.0, v1.1.0]',
      ],
      ...['replace github.com/burnt/toml => github.com/fork/toml v9.9.9', 'replace (', '\tgithub.com/c/d => ../d'],
      ...['\tgithub.com/e/f v1.4.0 => github.com/fork/f v1.4.1', '\traw.org/y v1.0.0 => raw.org/y v1.0.1', ')'],
    ),
    [
      'toml@v9.9.9 pkg:golang/github.com/fork/toml@v9.9.9',
      'x@v1.0.0 pkg:golang/quoted.org/x@v1.0.0',
      'v2@v2.0.0+incompatible pkg:golang/github.com/a/b/v2@v2.0.0+incompatible',
      'd',
      'y@v1.0.1 pkg:golang/raw.org/y@v1.0.1',
      'f@v1.5.0 pkg:golang/github.com/e/f@v1.5.0',
    ],
    ['toml', 'v2', 'd', 'y', 'f'],
  ],
  [
    'a crate of a repository is not that of the registry',
    'Cargo.lock',
    lines(
      ...['version = 4', '[[package]]', 'name = "own"', 'version = "0.1.0"', 'dependencies = ["g"]'],
      ...[
        '[[package]]',
        'name = "g"',
        'version = "0.1.0"',
        'source = "git+https://example.org/g.git?branch=main#0123"',
      ],
    ),
    ['g@0.1.0 pkg:cargo/g@0.1.0?vcs_url=git+https://example.org/g.git@0123'],
    ['g'],
  ],
  [
    'what has no version of its own is named without one',
    'pom.xml',
    `<project><parent><groupId>g</groupId><artifactId>p</artifactId><version>7</version></parent><dependencyManagement><dependencies>${dependency('m', 'n', '<version>3</version><scope>test</scope>')}</dependencies></dependencyManagement><dependencies>${[
      dependency('org.springframework.boot', 'spring-boot-starter-web'),
      dependency('u', 'u', `<version>\${unknown}</version>`),
      dependency('m', 'n'),
      dependency('r', 'range', '<version>[1.0,2.0)</version>'),
      dependency('r', 'latest', '<version>LATEST</version>'),
      dependency('r', 'exact', '<version>[1.0]</version>'),
      dependency('g', 'sibling', `<version>\${project.parent.version}</version>`),
    ].join('')}</dependencies></project>`,
    [
      'spring-boot-starter-web pkg:maven/org.springframework.boot/spring-boot-starter-web',
      'u pkg:maven/u/u',
      'n@3 pkg:maven/m/n@3 optional',
      'range pkg:maven/r/range',
      'latest pkg:maven/r/latest',
      'exact@1.0 pkg:maven/r/exact@1.0',
      'sibling@7 pkg:maven/g/sibling@7',
    ],
    ['spring-boot-starter-web', 'u', 'n', 'range', 'latest', 'exact', 'sibling'],
  ],
  [
    'a folder is a part of the project',
    'composer.lock',
    JSON.stringify({
      packages: [
        { name: 'v/own', version: 'dev-main', dist: { type: 'path', url: '../own' } },
        { name: 'v/a', version: 'dev-main' },
      ],
    }),
    ['a@dev-main pkg:composer/v/a@dev-main'],
    ['a'],
  ],
  [
    'a gem of a repository is not that of the registry',
    'Gemfile.lock',
    lines(
      ...[
        'GIT',
        '  remote: https://example.org/g.git',
        '  revision: 0123',
        '  branch: main',
        '  specs:',
        '    g (0.1)',
        '',
      ],
      ...['GEM', '  remote: https://rubygems.org/', '  specs:', '    a (1.0)', '', 'DEPENDENCIES', '  a', '  g!'],
    ),
    ['g@0.1 pkg:gem/g@0.1?vcs_url=git+https://example.org/g.git@0123', 'a@1.0 pkg:gem/a@1.0'],
    ['a', 'g'],
  ],
])('%s (%s)', (_, name, text, packages, roots) => {
  const { parts } = read(name, text);
  const components = parts.flatMap((one) => (one.kind === 'component' ? [one] : []));
  expect(
    components.map(({ component: { name: of, version, purl = '', scope = '' } }) =>
      [version === undefined ? of : `${of}@${version}`, purl.replace(/\?.*/, decodeURIComponent), scope]
        .join(' ')
        .trim(),
    ),
  ).toEqual(packages);
  const asked = parts.flatMap((one) => (one.kind === 'link' && one.ref === '(project)' ? one.dependsOn : []));
  const names = new Map(components.map(({ ref, component }) => [ref, component.name]));
  expect(asked.flatMap((ref) => names.get(ref) ?? [])).toEqual(roots);
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
  [
    'people in an address',
    'poetry.lock',
    `[[package]]\nname = "a"\nversion = "1"\n[package.source]\ntype = "url"\nurl = "http://${'@'.repeat(400_000)}#\\n"\n`,
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
