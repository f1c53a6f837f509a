import { XMLParser } from 'fast-xml-parser';
import { parse as parseToml } from 'smol-toml';
import { hashOf, textOf } from '../../../boms';
import { fieldsOf, type LockFormat, LockListBuilder, listOf, packageOf } from '../lock-list';

/** `Cargo.lock`. */
export const cargoLock: LockFormat = {
  language: 'Rust',
  manager: 'cargo',
  read(text) {
    const lock = parseToml(text);
    if (lock.package === undefined) throw new Error('it is no lock file of Cargo');
    const packages = listOf(lock.package).map(fieldsOf);
    const refOf = (name: unknown, version: unknown): string => `${name} ${version}`;
    const byName = new Map(packages.map(({ name, version }) => [String(name), refOf(name, version)]));
    // `name` where it has one version, else `name version` or `name version (source)`.
    const target = (written: unknown): string | readonly never[] => {
      const [name = '', version] = String(written).split(' ', 2);
      return version === undefined ? (byName.get(name) ?? []) : refOf(name, version);
    };
    const builder = new LockListBuilder();
    for (const { name, version, source, checksum, dependencies } of packages) {
      const dependsOn = listOf(dependencies).flatMap(target);
      // What has no source is a part of the project.
      if (source === undefined) builder.addRoots(dependsOn);
      else {
        const hash = hashOf('SHA-256', checksum);
        builder.add(
          refOf(name, version),
          packageOf('cargo', name, version, {
            hashes: hash === undefined ? [] : [hash],
            ...(String(source).startsWith('git+') ? { source: String(source) } : {}),
          }),
          dependsOn,
        );
      }
    }
    return builder.list(true);
  },
};

/** Words of a line of a `go.mod`: names, which may be in quotes, parentheses and arrows; a comment is one word. */
const goWord = /\/\/.*|"[^"]*"|=>|[(),[\]{}]|(?:(?!\/\/|=>)[^\s"(),[\]{}])+/g;

/** The lines of a `go.mod` by their directive, those of blocks as well. */
function* goLines(text: string): Generator<{ directive: string; words: string[]; comment: string }> {
  let block: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const all = (line.match(goWord) ?? []).map((one) => one.replace(/^"(.*)"$/, '$1'));
    const comment = all.at(-1)?.startsWith('//') ? (all.pop() ?? '').slice(2).trim() : '';
    const [first, ...rest] = all;
    if (first === undefined) continue;
    if (block !== undefined && first === ')') block = undefined;
    else if (block !== undefined) yield { directive: block, words: all, comment };
    else if (rest[0] === '(') block = first;
    else yield { directive: first, words: rest, comment };
  }
}

/** `go.mod`: since Go 1.17 it names all that is built; `replace` says what is built instead. */
export const goMod: LockFormat = {
  language: 'Go',
  manager: 'go',
  read(text) {
    const lines = [...goLines(text)];
    if (!lines.some(({ directive }) => directive === 'module')) throw new Error('it is no go.mod');
    const keyOf = (module = '', version = ''): string => `${module} ${version}`;
    const replaced = new Map(
      lines.flatMap(({ directive, words }): [string, readonly string[]][] => {
        const arrow = words.indexOf('=>');
        return directive === 'replace' && arrow > 0
          ? [[keyOf(words[0], arrow === 2 ? words[1] : ''), words.slice(arrow + 1)]]
          : [];
      }),
    );
    const builder = new LockListBuilder();
    for (const { directive, words, comment } of lines) {
      const [module, version] = words;
      if (directive !== 'require' || module === undefined || version === undefined) continue;
      const [other = '', its] = replaced.get(keyOf(module, version)) ?? replaced.get(keyOf(module)) ?? words;
      // A module that lies in a folder has no version of its own.
      const isFolder = /^(?:\.{0,2}[\\/]|\.{1,2}$|[A-Za-z]:)/.test(other);
      builder.add(
        module,
        isFolder ? packageOf('golang', module, undefined, { source: other }) : packageOf('golang', other, its),
      );
      // The comment may say more behind a semicolon.
      if (!/^indirect\s*(?:;|$)/.test(comment)) builder.addRoots([module]);
    }
    return builder.list(true);
  },
};

const xml = new XMLParser({ ignoreAttributes: true, parseTagValue: false, processEntities: false, trimValues: true });

const asList = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : Array.isArray(value) ? value : [value];

/** A version of Maven; undefined for a range of them, and for `LATEST` and `RELEASE`. `[1.0]` is exactly that one. */
function exactVersion(written: string | undefined): string | undefined {
  const version = written
    ?.trim()
    .replace(/^\[([^[\](),]*)\]$/, '$1')
    .trim();
  return version === undefined || /[[\](),]|^(?:LATEST|RELEASE)$/.test(version) ? undefined : version;
}

/** `pom.xml`: what it names itself, with versions that it says; others may come from a parent or an imported list. */
export const mavenPom: LockFormat = {
  language: 'Java',
  manager: 'maven',
  read(text) {
    const project = fieldsOf(fieldsOf(xml.parse(text)).project);
    if (Object.keys(project).length === 0) throw new Error('it is no project of Maven');
    const parent = fieldsOf(project.parent);
    const properties: Record<string, unknown> = {
      ...fieldsOf(project.properties),
      'project.version': project.version ?? parent.version,
      'project.groupId': project.groupId ?? parent.groupId,
      'project.parent.version': parent.version,
      'project.parent.groupId': parent.groupId,
    };
    // A property may name another one. Each is filled once, and none of itself.
    const known = new Map<string, string | undefined>();
    const property = (name: string): string | undefined => {
      if (!known.has(name)) {
        known.set(name, undefined);
        known.set(name, Object.hasOwn(properties, name) ? filled(properties[name]) : undefined);
      }
      return known.get(name);
    };
    const filled = (value: unknown): string | undefined => {
      if (typeof value !== 'string') return undefined;
      let [text, last] = ['', 0];
      for (const { 0: whole, 1: name = '', index } of value.matchAll(/\$\{([^${}]{1,200})\}/g)) {
        const part = property(name);
        if (part === undefined) return undefined;
        text += value.slice(last, index) + part;
        if (text.length > 1_000) return undefined;
        last = index + whole.length;
      }
      text += value.slice(last);
      return text.includes('${') || text.length > 1_000 ? undefined : text;
    };
    const written = (value: unknown): string | undefined => filled(value) ?? textOf(value);
    const read = (list: unknown) =>
      asList(fieldsOf(list).dependency).flatMap((value) => {
        const one = fieldsOf(value);
        const [group, artifact] = [written(one.groupId), written(one.artifactId)];
        if (group === undefined || artifact === undefined) return [];
        return { ...one, name: `${group}:${artifact}` };
      });
    const managed = new Map(
      read(fieldsOf(project.dependencyManagement).dependencies).map((one) => [one.name, one] as const),
    );
    const builder = new LockListBuilder();
    for (const one of read(project.dependencies)) {
      const { name } = one;
      const { version, scope } = fieldsOf({ ...managed.get(name), ...one });
      const isOptional = scope === 'test' || scope === 'provided';
      const found = packageOf('maven', name, exactVersion(filled(version)), isOptional ? { scope: 'optional' } : {});
      if (found === undefined) continue;
      // A property that is not known stays as it is written, as Maven shows it; a package URL would name another package.
      const { purl: _, ...unnamed } = found;
      builder.add(name, name.includes('${') ? unnamed : found);
    }
    return builder.list();
  },
};

/** `gradle.lockfile`. */
export const gradleLock: LockFormat = {
  language: 'Java',
  manager: 'gradle',
  read(text) {
    const builder = new LockListBuilder();
    for (const line of text.split(/\r?\n/)) {
      const [, name, version] = /^([^#:=\s]+:[^:=\s]+):([^:=\s]+)=/.exec(line) ?? [];
      if (name !== undefined) builder.add(name, packageOf('maven', name, version));
    }
    if (builder.packages.length === 0 && !/^empty=/m.test(text)) throw new Error('it is no lock file of Gradle');
    return builder.list();
  },
};

/** `packages.lock.json` of NuGet. */
export const nugetLock: LockFormat = {
  language: 'C#',
  manager: 'nuget',
  read(text) {
    const frameworks = fieldsOf(JSON.parse(text)).dependencies;
    if (frameworks === undefined) throw new Error('it is no lock file of NuGet');
    const builder = new LockListBuilder();
    for (const [framework, packages] of Object.entries(fieldsOf(frameworks)))
      for (const [name, value] of Object.entries(fieldsOf(packages))) {
        const one = fieldsOf(value);
        const refOf = (other: string): string => `${framework}/${other.toLowerCase()}`;
        const dependsOn = Object.keys(fieldsOf(one.dependencies)).map(refOf);
        if (one.type === 'Project') {
          builder.addRoots(dependsOn);
          continue;
        }
        const hash =
          typeof one.contentHash === 'string'
            ? hashOf('SHA-512', Buffer.from(one.contentHash, 'base64').toString('hex'))
            : undefined;
        builder.add(
          refOf(name),
          packageOf('nuget', name, one.resolved, { hashes: hash === undefined ? [] : [hash] }),
          dependsOn,
        );
        if (one.type === 'Direct') builder.addRoots([refOf(name)]);
      }
    return builder.list(true);
  },
};
