import { pythonName } from '@switchyard/texts';
import { parse as parseToml } from 'smol-toml';
import { type Component, hashOf } from '../../../boms';
import {
  before,
  fieldsOf,
  type LockFormat,
  type LockList,
  LockListBuilder,
  listOf,
  packageOf,
  qualifiersOf,
} from '../lock-list';

const normalized = (name: unknown): string => (typeof name === 'string' ? pythonName(name) : '');

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

/** A version as Python packages have; undefined for a range, a pattern or a variable. @param written such as `==1.0` */
const exactVersion = (written: unknown): string | undefined =>
  /^\s*={2,3}\s*([A-Za-z0-9][A-Za-z0-9.!+_-]*)\s*(?:$|[,;)\s])/.exec(String(written))?.[1];

/** A requirement: a name, extras, and what follows them. */
const requirement = /^([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\]\s*)?([\s\S]*)$/;

/** A requirement that is an address alone, whose name may stand in its fragment. */
const addressed = /^(?:(?:-e|--editable)[\s=]\s*)?((?:[a-z]+\+)?[a-z]+:\/\/[^\s;]+)/i;

/** `requirements.txt`: what it names, with versions that are exact. Files that it includes, paths and options are none. */
export const pipRequirements: LockFormat = {
  language: 'Python',
  manager: 'pip',
  read(text) {
    const builder = new LockListBuilder();
    // A backslash joins lines.
    for (const joined of text.replace(/\\\r?\n/g, ' ').split(/\r?\n/)) {
      const [line = ''] = joined.trim().split(/(?:^|\s)#/, 1);
      const [, source] = addressed.exec(line) ?? [];
      if (source !== undefined) {
        const name = /[#&]egg=([A-Za-z0-9._-]+)/.exec(source)?.[1];
        // Without a name the address is all that is known of it, and no package URL can be made of that.
        const [place] = Object.values(qualifiersOf(source) ?? {});
        const shown = name === undefined ? place : normalized(name);
        if (shown !== undefined)
          builder.add(shown, packageOf('pypi', shown, undefined, { source: name === undefined ? '' : source }));
        continue;
      }
      const [, name, rest = ''] = requirement.exec(line) ?? [];
      // What follows a name is a version, a marker, options, or where the package is.
      if (name === undefined || !/^(?:$|[(=<>!~;@]|--)/.test(rest)) continue;
      const hashes = digests([...rest.matchAll(/--hash=(\S+)/g)].map(([, hash]) => hash));
      const known = { hashes, ...(rest.startsWith('@') ? { source: before(rest.slice(1).trim(), ' ') } : {}) };
      const version = exactVersion(rest.replace(/^\(/, ''));
      builder.add(normalized(name), packageOf('pypi', normalized(name), version, known));
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
    // Beside these two there may be categories of any name.
    for (const [list, packages] of Object.entries(lock)) {
      if (list === '_meta') continue;
      for (const [name, value] of Object.entries(fieldsOf(packages))) {
        const { version, hashes, git, ref, file, path } = fieldsOf(value);
        // A folder of the project itself.
        if (path !== undefined) continue;
        const source = git === undefined ? file : `git+${git}#${ref ?? ''}`;
        const known = {
          hashes: digests(listOf(hashes)),
          ...(list === 'develop' ? { scope: 'optional' as const } : {}),
          ...(typeof source === 'string' ? { source } : {}),
        };
        builder.add(normalized(name), packageOf('pypi', normalized(name), exactVersion(version), known));
      }
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
      const { type, url, resolved_reference: commit } = fieldsOf(one.source);
      // A folder of the project itself.
      if (type === 'directory') continue;
      // Version 2.1 of the format names the groups of each package, versions before 1.2 a category.
      const isOptional =
        one.optional === true || one.category === 'dev' || (Array.isArray(one.groups) && !one.groups.includes('main'));
      const about = {
        hashes,
        ...(isOptional ? { scope: 'optional' as const } : {}),
        ...(type === 'git' ? { source: `git+${url}#${commit ?? ''}` } : {}),
        ...(type === 'url' || type === 'file' ? { source: String(url) } : {}),
      };
      const dependsOn = Object.keys(fieldsOf(one.dependencies)).map(normalized);
      builder.add(normalized(one.name), packageOf('pypi', normalized(one.name), one.version, about), dependsOn);
    }
    return builder.list();
  },
};

/** Where a package of `uv.lock` comes from, if that is no registry. */
function uvSource(source: unknown): string | undefined {
  const { git, url, path } = fieldsOf(source);
  return typeof git === 'string' ? `git+${git}` : typeof (url ?? path) === 'string' ? String(url ?? path) : undefined;
}

/** `uv.lock`. */
export const uvLock: LockFormat = {
  language: 'Python',
  manager: 'uv',
  read(text) {
    const lock = parseToml(text);
    if (lock.version === undefined) throw new Error('it is no lock file of uv');
    const packages = listOf(lock.package).map(fieldsOf);
    const refOf = (name: unknown, version: unknown): string => `${normalized(name)} ${version ?? ''}`;
    const byName = new Map(packages.map(({ name, version }) => [normalized(name), refOf(name, version)]));
    // A version is named where there are several.
    const named = (list: unknown): string[] =>
      listOf(list).flatMap((other) => {
        const { name, version } = fieldsOf(other);
        return version === undefined ? (byName.get(normalized(name)) ?? []) : refOf(name, version);
      });
    const inGroups = (groups: unknown): string[] => Object.values(fieldsOf(groups)).flatMap(named);
    const builder = new LockListBuilder();
    for (const one of packages) {
      // Extras are there as far as somebody asks for them.
      const dependsOn = [...named(one.dependencies), ...inGroups(one['optional-dependencies'])];
      const { editable, virtual, directory } = fieldsOf(one.source);
      if ([editable, virtual, directory].some((folder) => folder !== undefined)) {
        builder.addRoots(dependsOn);
        builder.addOptionalRoots(inGroups(one['dev-dependencies']));
        continue;
      }
      const hashes = digests([fieldsOf(one.sdist).hash, ...listOf(one.wheels).map((wheel) => fieldsOf(wheel).hash)]);
      builder.add(
        refOf(one.name, one.version),
        packageOf('pypi', normalized(one.name), one.version, { hashes, source: uvSource(one.source) }),
        dependsOn,
      );
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
      {
        version: string;
        dependsOn: string[];
        own: boolean;
        hashes: Component['hashes'][number][];
        source: string | undefined;
      }
    >();
    const builder = new LockListBuilder();
    let section = '';
    let repository = '';
    let last: string | undefined;
    for (const line of text.split(/\r?\n/)) {
      if (/^\S/.test(line)) [section, repository] = [line.trim(), ''];
      const [, field, told] = /^ {2}(remote|revision): (\S+)/.exec(line) ?? [];
      if (section === 'GIT' && field !== undefined) repository += field === 'remote' ? `git+${told}` : `#${told}`;
      const [, name = '', version = ''] = /^ {4}(\S+) \(([^)]+)\)$/.exec(line) ?? [];
      const isGem = section === 'GEM' || section === 'GIT' || section === 'PATH';
      if (name !== '' && isGem) {
        last = name;
        // A version may have a platform behind it: the gem is the same.
        const platform = version.search(/-(?:x86|x64|arm|aarch|java|universal|mingw|mswin)/);
        const plain = platform < 0 ? version : version.slice(0, platform);
        const source = section === 'GIT' ? repository : undefined;
        if (!found.has(name))
          found.set(name, { version: plain, dependsOn: [], own: section === 'PATH', hashes: [], source });
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
    for (const [name, { version, dependsOn, own, hashes, source }] of found)
      if (own) builder.addRoots(dependsOn);
      else builder.add(name, packageOf('gem', name, version, { hashes, source }), dependsOn);
    return builder.list(true);
  },
};
