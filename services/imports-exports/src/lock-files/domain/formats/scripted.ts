import { pythonName } from '@switchyard/texts';
import { parse as parseToml } from 'smol-toml';
import { type Component, hashOf } from '../../../boms';
import { fieldsOf, type LockFormat, type LockList, LockListBuilder, listOf, packageOf } from '../lock-list';

const normalized = (name: unknown): string => pythonName(String(name));

/** Most digests of one package, as of a component: one for each file in which a version is published. */
const maxDigests = 500;

/** Digests such as `sha256:…`, of the files in which a version is published. */
const digests = (written: readonly unknown[]): Component['hashes'] =>
  written.slice(0, maxDigests).flatMap((one) => {
    const [alg, content] = String(one).split(':');
    return (
      hashOf(alg === 'sha256' ? 'SHA-256' : alg === 'sha512' ? 'SHA-512' : alg === 'md5' ? 'MD5' : '', content) ?? []
    );
  });

/** `requirements.txt`: lines with an exact version. */
export const pipRequirements: LockFormat = {
  language: 'Python',
  manager: 'pip',
  read(text) {
    const builder = new LockListBuilder();
    // A backslash joins lines.
    for (const line of text.replace(/\\\r?\n/g, ' ').split(/\r?\n/)) {
      const [, name, version, rest = ''] =
        /^\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\]\s*)?={2,3}\s*([^\s;#,*]+)(.*)/.exec(line) ?? [];
      if (name === undefined) continue;
      const hashes = digests([...rest.matchAll(/--hash=(\S+)/g)].map(([, hash]) => hash));
      builder.add(normalized(name), packageOf('pypi', normalized(name), version, { hashes }));
    }
    return builder.list();
  },
};

/** `Pipfile.lock`. */
export const pipfileLock: LockFormat = {
  language: 'Python',
  manager: 'pipenv',
  read(text) {
    const lock = fieldsOf(JSON.parse(text));
    if (lock._meta === undefined) throw new Error('it is no lock file of Pipenv');
    const builder = new LockListBuilder();
    for (const [list, scope] of [
      ['default', {}],
      ['develop', { scope: 'optional' }],
    ] as const)
      for (const [name, value] of Object.entries(fieldsOf(lock[list]))) {
        const { version, hashes } = fieldsOf(value);
        const exact = typeof version === 'string' ? version.replace(/^==+/, '') : undefined;
        builder.add(
          normalized(name),
          packageOf('pypi', normalized(name), exact, { hashes: digests(listOf(hashes)), ...scope }),
        );
      }
    return builder.list();
  },
};

/** `poetry.lock`. */
export const poetryLock: LockFormat = {
  language: 'Python',
  manager: 'poetry',
  read(text) {
    const lock = parseToml(text);
    if (lock.package === undefined && lock.metadata === undefined) throw new Error('it is no lock file of Poetry');
    const builder = new LockListBuilder();
    // Files of each package lay apart before version 2 of the format.
    const files = fieldsOf(fieldsOf(lock.metadata).files);
    const digestsIn = (list: unknown) =>
      digests(
        listOf(list)
          .slice(0, maxDigests)
          .map((file) => fieldsOf(file).hash),
      );
    const known = new Map<string, Component['hashes']>();
    const digestsOf = (name: string) => {
      const found = known.get(name) ?? digestsIn(files[name]);
      known.set(name, found);
      return found;
    };
    for (const value of listOf(lock.package)) {
      const one = fieldsOf(value);
      const hashes = one.files === undefined ? digestsOf(String(one.name)) : digestsIn(one.files);
      const about = { hashes, ...(one.optional === true ? { scope: 'optional' as const } : {}) };
      const dependsOn = Object.keys(fieldsOf(one.dependencies)).map(normalized);
      builder.add(normalized(one.name), packageOf('pypi', normalized(one.name), one.version, about), dependsOn);
    }
    return builder.list();
  },
};

/** `uv.lock`. */
export const uvLock: LockFormat = {
  language: 'Python',
  manager: 'uv',
  read(text) {
    const lock = parseToml(text);
    if (lock.version === undefined) throw new Error('it is no lock file of uv');
    const builder = new LockListBuilder();
    for (const value of listOf(lock.package)) {
      const one = fieldsOf(value);
      const named = (list: unknown): string[] => listOf(list).map((other) => normalized(fieldsOf(other).name));
      const dependsOn = named(one.dependencies);
      const { editable, virtual } = fieldsOf(one.source);
      if (editable !== undefined || virtual !== undefined) {
        builder.addRoots(dependsOn);
        builder.addRoots(Object.values(fieldsOf(one['dev-dependencies'])).flatMap(named));
        continue;
      }
      const hashes = digests([fieldsOf(one.sdist).hash, ...listOf(one.wheels).map((wheel) => fieldsOf(wheel).hash)]);
      builder.add(normalized(one.name), packageOf('pypi', normalized(one.name), one.version, { hashes }), dependsOn);
    }
    return builder.list(true);
  },
};

/** `Gemfile.lock`. */
export const bundlerLock: LockFormat = {
  language: 'Ruby',
  manager: 'bundler',
  read(text): LockList {
    if (!/^(?:GEM|GIT|PATH|DEPENDENCIES)\s*$/m.test(text)) throw new Error('it is no lock file of Bundler');
    const found = new Map<
      string,
      { version: string; dependsOn: string[]; own: boolean; hashes: Component['hashes'][number][] }
    >();
    const builder = new LockListBuilder();
    let section = '';
    let last: string | undefined;
    for (const line of text.split(/\r?\n/)) {
      if (/^\S/.test(line)) section = line.trim();
      const [, name = '', version = ''] = /^ {4}(\S+) \(([^)]+)\)$/.exec(line) ?? [];
      const isGem = section === 'GEM' || section === 'GIT' || section === 'PATH';
      if (name !== '' && isGem) {
        last = name;
        // A version may have a platform behind it: the gem is the same.
        const platform = version.search(/-(?:x86|x64|arm|aarch|java|universal|mingw|mswin)/);
        const plain = platform < 0 ? version : version.slice(0, platform);
        if (!found.has(name)) found.set(name, { version: plain, dependsOn: [], own: section === 'PATH', hashes: [] });
      } else if (isGem && last !== undefined) {
        const [, target] = /^ {6}(\S+)/.exec(line) ?? [];
        if (target !== undefined) found.get(last)?.dependsOn.push(target);
      } else if (section === 'DEPENDENCIES') {
        const [, target] = /^ {2}([^\s!]+)/.exec(line) ?? [];
        if (target !== undefined) builder.addRoots([target]);
      } else if (section === 'CHECKSUMS') {
        const [, gem = '', sum] = /^ {2}(\S+) \([^)]+\) sha256=([0-9a-f]{64})$/.exec(line) ?? [];
        const hash = hashOf('SHA-256', sum);
        if (hash !== undefined) found.get(gem)?.hashes.push(hash);
      }
    }
    for (const [name, { version, dependsOn, own, hashes }] of found)
      if (own) builder.addRoots(dependsOn);
      else builder.add(name, packageOf('gem', name, version, { hashes }), dependsOn);
    return builder.list(true);
  },
};
