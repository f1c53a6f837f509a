import { type Component, integrityHashes } from '../../../boms';
import { before, fieldsOf, type LockFormat, type LockList, LockListBuilder, listOf, packageOf } from '../lock-list';

type Fields = Readonly<Record<string, unknown>>;

const scopeOf = ({ dev, optional, devOptional }: Fields): { scope?: Component['scope'] } =>
  dev === true || optional === true || devOptional === true ? { scope: 'optional' } : {};

const modules = 'node_modules/';

/** Where node finds a package from a folder: in it, or in the nearest folder above. */
function resolved(folder: string, name: string, has: (path: string) => boolean): string | undefined {
  let at = folder;
  for (;;) {
    const path = `${at === '' ? '' : `${at}/`}${modules}${name}`;
    if (has(path)) return path;
    if (at === '') return undefined;
    const above = at.lastIndexOf(`/${modules}`);
    at = above >= 0 ? at.slice(0, above) : '';
  }
}

const dependencyNames = (one: Fields, ...lists: string[]): string[] =>
  lists.flatMap((list) => Object.keys(fieldsOf(one[list])));

/** Where a package of npm comes from: a name of a registry, another place, or a folder of the project itself. */
interface Origin {
  /** Name at the registry, which an alias hides. */
  readonly name?: string;
  readonly version?: string;
  readonly source?: string;
  /** Whether it is a part of the project. */
  readonly isOwn?: boolean;
}

const archive = /\.(?:tgz|tar|tar\.gz)(?:[#:]|$)/;

/**
 * Reads what stands for a package beside its name: a version or range, `npm:` with a name, or another place.
 * @param written such as `^1.0`, `npm:@scope/name@^1.0`, `git+ssh://…`, `file:../other`
 */
function originOf(written: string): Origin {
  const [, scheme = '', rest = ''] = /^([a-z][a-z+]*):(.*)$/i.exec(written) ?? [];
  // No version has a slash: that is a repository of GitHub.
  if (scheme === '') return written.includes('/') ? { source: written } : { version: written };
  if (scheme === 'npm') {
    const at = rest.indexOf('@', 1);
    if (at > 0) return { name: rest.slice(0, at), version: rest.slice(at + 1) };
    // `npm:^1.0` is a range of yarn 2, `npm:name` a name.
    return /^@?[a-z]/i.test(rest) ? { name: rest } : { version: rest };
  }
  // It is the same package with some lines changed.
  if (scheme === 'patch') return {};
  if (/^(?:workspace|link|portal)$/.test(scheme) || (scheme === 'file' && !archive.test(rest))) return { isOwn: true };
  return { source: written };
}

/** Versions 2 and 3: packages by their folders. */
function flatLock(packages: Fields, isLicenseId: (text: string) => boolean): LockList {
  const builder = new LockListBuilder();
  const has = (path: string): boolean => {
    builder.spend(path.length);
    return Object.hasOwn(packages, path);
  };
  const found = (folder: string, names: readonly string[]): string[] =>
    names.flatMap((name) => resolved(folder, name, has) ?? []);
  for (const [path, value] of Object.entries(packages)) {
    const one = fieldsOf(value);
    const at = path.lastIndexOf(modules);
    if (at < 0) {
      // The project itself, or a workspace of it.
      builder.addRoots(found(path, dependencyNames(one, 'dependencies', 'devDependencies', 'optionalDependencies')));
      continue;
    }
    if (one.link === true) continue;
    const name = typeof one.name === 'string' ? one.name : path.slice(at + modules.length);
    const { source, isOwn }: Origin = /^(?:git|file)/.test(String(one.resolved)) ? originOf(String(one.resolved)) : {};
    const known = { hashes: integrityHashes(one.integrity), licenses: [one.license], source, ...scopeOf(one) };
    const dependsOn = found(path, dependencyNames(one, 'dependencies', 'optionalDependencies', 'peerDependencies'));
    // A folder may be copied instead of linked.
    if (isOwn) builder.addRoots(dependsOn);
    else builder.add(path, packageOf('npm', name, one.version, known, isLicenseId), dependsOn);
  }
  return builder.list(true);
}

/** Version 1: packages inside those that brought them. */
function nestedLock(root: Fields): LockList {
  const builder = new LockListBuilder();
  const all = new Map<string, Fields>();
  const gather = (dependencies: unknown, folder: string): void => {
    for (const [name, value] of Object.entries(fieldsOf(dependencies))) {
      const path = `${folder === '' ? '' : `${folder}/`}${modules}${name}`;
      builder.spend(path.length);
      all.set(path, fieldsOf(value));
      gather(fieldsOf(value).dependencies, path);
    }
  };
  gather(root.dependencies, '');
  const has = (path: string): boolean => {
    builder.spend(path.length);
    return all.has(path);
  };
  for (const [path, one] of all) {
    const origin: Origin = typeof one.version === 'string' ? originOf(one.version) : {};
    if (origin.isOwn) continue;
    const name = origin.name ?? path.slice(path.lastIndexOf(modules) + modules.length);
    const dependsOn = dependencyNames(one, 'requires').flatMap((other) => resolved(path, other, has) ?? []);
    const known = { hashes: integrityHashes(one.integrity), source: origin.source, ...scopeOf(one) };
    builder.add(path, packageOf('npm', name, origin.version, known), dependsOn);
  }
  return builder.list();
}

/** `package-lock.json` and `npm-shrinkwrap.json`. */
export const npmLock: LockFormat = {
  language: 'JavaScript',
  manager: 'npm',
  read(text, isLicenseId) {
    const lock = fieldsOf(JSON.parse(text));
    if (lock.packages === undefined && lock.dependencies === undefined && lock.lockfileVersion === undefined)
      throw new Error('it is no lock file of npm');
    return lock.packages === undefined ? nestedLock(lock) : flatLock(fieldsOf(lock.packages), isLicenseId);
  },
};

/** A line of an indented file: how deep it is, its key, and its value. */
interface Line {
  readonly indent: number;
  readonly key: string;
  readonly value: string;
}

const unquoted = (text: string): string => /^(["'])(.*)\1$/.exec(text)?.[2] ?? text;

/**
 * The lines of a file in the part of YAML that pnpm and yarn write: `key: value` and `key value`, indented. A reader of
 * all of YAML takes a second for each megabyte of it.
 */
function* linesOf(text: string): Generator<Line> {
  for (const line of text.split(/\r?\n/)) {
    const written = line.trimEnd();
    const from = written.trimStart();
    if (from === '' || from.startsWith('#')) continue;
    const indent = written.length - from.length;
    // A key may hold colons: it ends at one that ends the line, or that a blank follows outside of quotes.
    const [, quoted, bare] = /^(?:("[^"]*"|'[^']*')|([^\s"'](?:[^:\s]|:(?=\S))*))(?::|\s|$)/.exec(from) ?? [];
    const key = quoted ?? bare ?? from;
    const value = from.slice(key.length).replace(/^\s*:?\s*/, '');
    yield { indent, key: unquoted(key), value: unquoted(value) };
  }
}

/** What an entry is asked for as: yarn 1 puts each into quotes where it needs them, later ones all together. */
const descriptors = (header: string): string[] => header.trimEnd().replace(/:$/, '').replaceAll('"', '').split(/,\s*/);

/** Name of the package that a descriptor such as `@scope/name@^1.0` asks for. */
const nameOf = (descriptor: string): string => descriptor.slice(0, descriptor.indexOf('@', 1));

/** `yarn.lock`, of yarn 1 and of later ones. */
export const yarnLock: LockFormat = {
  language: 'JavaScript',
  manager: 'yarn',
  read(text) {
    if (!/^# (?:yarn lockfile|This file is generated by)|__metadata:/m.test(text))
      throw new Error('it is no lock file of yarn');
    interface Entry {
      readonly names: string[];
      readonly fields: Map<string, string>;
      readonly dependsOn: [string, string][];
    }
    const entries: Entry[] = [];
    let entry: Entry | undefined;
    let list = '';
    const headers = text.split(/\r?\n/).filter((line) => /^[^\s#]/.test(line));
    let at = 0;
    for (const { indent, key, value } of linesOf(text)) {
      if (indent === 0) {
        entry = { names: descriptors(headers[at] ?? ''), fields: new Map(), dependsOn: [] };
        at += 1;
        entries.push(entry);
      } else if (indent === 2) {
        list = value === '' ? key : '';
        entry?.fields.set(key, value);
      } else if (list === 'dependencies' || list === 'optionalDependencies') entry?.dependsOn.push([key, value]);
    }
    const refs = new Map<string, string>();
    for (const { names } of entries) for (const name of names) refs.set(name, names[0] as string);
    const builder = new LockListBuilder();
    for (const { names, fields, dependsOn } of entries) {
      const [first = ''] = names;
      if (first === '__metadata') continue;
      const found = dependsOn.flatMap(
        ([name, range]) => refs.get(`${name}@${range}`) ?? refs.get(`${name}@npm:${range}`) ?? [],
      );
      // Yarn 1 says it in what is asked for, later ones in what was found, where the version stands apart.
      const resolution = fields.get('resolution');
      const asked = resolution ?? first;
      const { name = nameOf(asked), source, isOwn } = originOf(asked.slice(nameOf(asked).length + 1));
      if (!isOwn) {
        const known = {
          hashes: integrityHashes(fields.get('integrity')),
          source: source && (fields.get('resolved') ?? source),
        };
        builder.add(first, packageOf('npm', name, fields.get('version'), known), found);
      } else if (resolution !== undefined) builder.addRoots(found);
    }
    return builder.list();
  },
};

/** Name and version of a package as pnpm writes them: `/@a/b@1.0.0(peer@2)`, `@a/b@1.0.0`, `/@a/b/1.0.0_peer@2`. */
function pnpmName(key: string): { name: string; version: string } | undefined {
  const plain = before(key.replace(/^\//, ''), '(');
  const at = plain.indexOf('@', 1);
  if (at > 0 && !plain.slice(0, at).includes('/', plain.startsWith('@') ? plain.indexOf('/') + 1 : 0))
    return { name: plain.slice(0, at), version: plain.slice(at + 1) };
  const [, name, version] = /^\/((?:@[^/]+\/)?[^/]+)\/([^/_]+)/.exec(key) ?? [];
  return name === undefined || version === undefined ? undefined : { name, version };
}

/** A package under its name and version, without the peers that it was resolved with; as it is written for another place. */
function pnpmRef(key: string): string {
  const named = pnpmName(key);
  return named === undefined ? before(key, '(') : `${named.name}@${named.version}`;
}

interface PnpmPackage {
  readonly name: string | undefined;
  readonly fields: Map<string, string>;
  /** Names, and versions or keys. */
  readonly dependsOn: [string, string][];
}

const dependencyLists = new Set(['dependencies', 'devDependencies', 'optionalDependencies']);

/** What a `pnpm-lock.yaml` says. */
function pnpmContent(text: string) {
  const packages = new Map<string, PnpmPackage>();
  const asked: { list: string; name: string; version: string }[] = [];
  let [section, list, name] = ['', '', ''];
  let one: PnpmPackage | undefined;
  for (const { indent, key, value } of linesOf(text)) {
    if (indent === 0) section = key;
    // The only project of a file may stand at its top, else each stands below its folder, four blanks further in.
    const depth = section === 'importers' ? indent - 4 : indent;
    if (section === 'importers' ? depth >= 0 : dependencyLists.has(section)) {
      if (depth === 0) list = key;
      else if (depth === 2) name = key;
      if (dependencyLists.has(list) && value !== '' && (depth === 2 || (depth === 4 && key === 'version')))
        asked.push({ list, name, version: value });
    } else if (section === 'packages' || section === 'snapshots') {
      if (indent === 2) {
        const ref = pnpmRef(key);
        one = packages.get(ref) ?? { name: pnpmName(key)?.name, fields: new Map(), dependsOn: [] };
        packages.set(ref, one);
      } else if (indent === 4) {
        list = value === '' ? key : '';
        one?.fields.set(key, value);
      } else if (indent === 6 && (list === 'dependencies' || list === 'optionalDependencies'))
        one?.dependsOn.push([key, value]);
    }
  }
  return { packages, asked };
}

/** `pnpm-lock.yaml`. */
export const pnpmLock: LockFormat = {
  language: 'JavaScript',
  manager: 'pnpm',
  read(text) {
    if (!/^lockfileVersion:/m.test(text)) throw new Error('it is no lock file of pnpm');
    const { packages, asked } = pnpmContent(text);
    // A version, with peers or without; else the key of another package, which an alias or an address has.
    const refsOf = (name: string, version: string): string[] => {
      const plain = before(version, '(');
      const candidates = [`${name}@${plain}`, `${name}@${before(plain, '_')}`, pnpmRef(version)];
      return candidates.filter((ref) => packages.has(ref)).slice(0, 1);
    };
    const builder = new LockListBuilder();
    for (const [ref, { name, fields, dependsOn }] of packages) {
      const found = dependsOn.flatMap(([other, version]) => refsOf(other, version));
      const resolution = fields.get('resolution') ?? '';
      if (/\bdirectory:/.test(resolution)) {
        // A folder of the project itself.
        builder.addRoots(found);
        continue;
      }
      const written = name === undefined ? '' : ref.slice(name.length + 1);
      const { version, source = name === undefined ? ref : undefined } = originOf(written);
      const isOptional = fields.get('dev') === 'true' || fields.get('optional') === 'true';
      builder.add(
        ref,
        packageOf('npm', fields.get('name') ?? name ?? ref, fields.get('version') ?? version, {
          hashes: integrityHashes(/integrity:\s*([^\s,}]+)/.exec(resolution)?.[1]),
          source,
          ...(isOptional ? { scope: 'optional' } : {}),
        }),
        found,
      );
    }
    for (const { list, name, version } of asked) {
      const found = refsOf(name, version);
      if (list === 'devDependencies') builder.addOptionalRoots(found);
      else builder.addRoots(found);
    }
    return builder.list();
  },
};

/** `composer.lock`. */
export const composerLock: LockFormat = {
  language: 'PHP',
  manager: 'composer',
  read(text, isLicenseId) {
    const lock = fieldsOf(JSON.parse(text));
    if (lock.packages === undefined) throw new Error('it is no lock file of Composer');
    const builder = new LockListBuilder();
    const lists = [
      [lock.packages, {}],
      [lock['packages-dev'], { scope: 'optional' }],
    ] as const;
    for (const [packages, scope] of lists)
      for (const value of listOf(packages)) {
        const one = fieldsOf(value);
        const { shasum: sum, type } = fieldsOf(one.dist);
        // A folder of the project itself.
        if (type === 'path') continue;
        const hashes =
          typeof sum === 'string' && /^[0-9a-f]{40}$/i.test(sum) ? [{ alg: 'SHA-1', content: sum.toLowerCase() }] : [];
        const known = { hashes, licenses: listOf(one.license), ...scope };
        const version = typeof one.version === 'string' ? one.version.replace(/^v(?=\d)/, '') : undefined;
        builder.add(
          String(one.name),
          packageOf('composer', one.name, version, known, isLicenseId),
          Object.keys(fieldsOf(one.require)),
        );
      }
    return builder.list();
  },
};
