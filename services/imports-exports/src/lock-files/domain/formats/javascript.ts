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
    const known = { hashes: integrityHashes(one.integrity), licenses: [one.license], ...scopeOf(one) };
    const dependsOn = found(path, dependencyNames(one, 'dependencies', 'optionalDependencies', 'peerDependencies'));
    builder.add(path, packageOf('npm', name, one.version, known, isLicenseId), dependsOn);
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
    const name = path.slice(path.lastIndexOf(modules) + modules.length);
    const dependsOn = dependencyNames(one, 'requires').flatMap((other) => resolved(path, other, has) ?? []);
    builder.add(
      path,
      packageOf('npm', name, one.version, { hashes: integrityHashes(one.integrity), ...scopeOf(one) }),
      dependsOn,
    );
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

const descriptors = (header: string): string[] =>
  header.split(/,\s*/).map((one) => unquoted(one.trim().replace(/:$/, '').trim()));

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
    for (const { names } of entries) for (const name of names) refs.set(unquoted(name), names[0] as string);
    const builder = new LockListBuilder();
    for (const { names, fields, dependsOn } of entries) {
      const [first = ''] = names;
      if (first === '__metadata') continue;
      const found = dependsOn.flatMap(
        ([name, range]) => refs.get(`${name}@${range}`) ?? refs.get(`${name}@npm:${range}`) ?? [],
      );
      const resolution = fields.get('resolution') ?? '';
      if (/@(?:workspace|link|portal):/.test(resolution)) builder.addRoots(found);
      else {
        const name = /^(.+?)@npm:/.exec(resolution)?.[1] ?? nameOf(first);
        builder.add(
          first,
          packageOf('npm', name, fields.get('version'), { hashes: integrityHashes(fields.get('integrity')) }),
          found,
        );
      }
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
  const [, name, version] = /^((?:@[^/]+\/)?[^/]+)\/([^/_]+)/.exec(plain) ?? [];
  return name === undefined || version === undefined ? undefined : { name, version };
}

/** `pnpm-lock.yaml`. */
export const pnpmLock: LockFormat = {
  language: 'JavaScript',
  manager: 'pnpm',
  read(text) {
    if (!/^lockfileVersion:/m.test(text)) throw new Error('it is no lock file of pnpm');
    const found = new Map<
      string,
      { name: string; version: string; integrity: string; scope: boolean; dependsOn: string[] }
    >();
    let [section, list] = ['', ''];
    let one: ReturnType<typeof found.get>;
    for (const { indent, key, value } of linesOf(text)) {
      if (indent === 0) section = key;
      if (section !== 'packages' && section !== 'snapshots') continue;
      if (indent === 2) {
        const named = pnpmName(key);
        const ref = named && `${named.name}@${named.version}`;
        one =
          ref === undefined
            ? undefined
            : (found.get(ref) ?? {
                ...(named as NonNullable<typeof named>),
                integrity: '',
                scope: false,
                dependsOn: [],
              });
        if (ref !== undefined && one !== undefined) found.set(ref, one);
      } else if (indent === 4) {
        list = value === '' ? key : '';
        if (one === undefined) continue;
        if (key === 'resolution') one.integrity = /integrity:\s*([^\s,}]+)/.exec(value)?.[1] ?? '';
        if ((key === 'dev' || key === 'optional') && value === 'true') one.scope = true;
      } else if (indent === 6 && (list === 'dependencies' || list === 'optionalDependencies')) {
        const target = pnpmName(value);
        const version = before(before(value, '('), '_');
        one?.dependsOn.push(target === undefined ? `${key}@${version}` : `${target.name}@${target.version}`);
      }
    }
    const builder = new LockListBuilder();
    for (const [ref, { name, version, integrity, scope, dependsOn }] of found)
      builder.add(
        ref,
        packageOf('npm', name, version, {
          hashes: integrityHashes(integrity),
          ...(scope ? { scope: 'optional' } : {}),
        }),
        dependsOn,
      );
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
        const sum = fieldsOf(one.dist).shasum;
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
