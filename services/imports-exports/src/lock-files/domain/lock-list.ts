import { type Component, licenseOf, purlOf, textOf } from '../../boms';

/** A package that a lock file names. */
export interface LockedPackage {
  /** Its name within the file. */
  readonly ref: string;
  readonly component: Component;
}

/** What a lock file says. */
export interface LockList {
  readonly packages: readonly LockedPackage[];
  /** What depends on what, by refs; what is not there is passed over. */
  readonly links: ReadonlyMap<string, readonly string[]>;
  /** What the project itself depends on, by refs; undefined where the file does not say. */
  readonly roots?: readonly string[];
}

/** A kind of lock file. */
export interface LockFormat {
  readonly language: string;
  readonly manager: string;
  /** @throws when it is not of the kind */
  read(text: string, isLicenseId: (text: string) => boolean): LockList;
}

/** Files that are looked for, by name. */
export const lockFileNames = [
  'package-lock.json',
  'npm-shrinkwrap.json',
  'yarn.lock',
  'pnpm-lock.yaml',
  'requirements.txt',
  'Pipfile.lock',
  'poetry.lock',
  'uv.lock',
  'go.mod',
  'Cargo.lock',
  'pom.xml',
  'gradle.lockfile',
  'composer.lock',
  'Gemfile.lock',
  'packages.lock.json',
] as const;

/** What is known of a package beside its name. */
export interface Known {
  readonly hashes?: Component['hashes'];
  /** Ids, expressions or names. */
  readonly licenses?: readonly unknown[];
  readonly scope?: Component['scope'];
  /** Where it comes from, when that is not a registry of its ecosystem: an address of git, another one, or a path. */
  readonly source?: string | undefined;
}

/** The parts of an address: its scheme, who asks and where it is, and what comes after a query. Read in one pass. */
const address = /^((?:git\+)?[a-z][a-z0-9+.-]*:\/\/)([^?#]*)(?:\?[^#]*)?(?:#(.*))?$/is;

/** Where an address leads, without who asks. */
function placeOf(written: string): string {
  const slash = written.indexOf('/');
  return written.slice(written.lastIndexOf('@', slash < 0 ? written.length : slash) + 1);
}

/**
 * Where a package comes from, without what may be secret in it (users, passwords, queries), as qualifiers of package
 * URLs; undefined for what is no address.
 */
export function qualifiersOf(source: string): Record<string, string> | undefined {
  const [, scheme = '', written = '', after = ''] = address.exec(source) ?? [];
  const place = placeOf(written);
  const commit = /^(?:commit=)?([\w./-]+)(?:&.*)?$/s.exec(after)?.[1] ?? '';
  if (place === '' || /^file:/i.test(scheme)) return undefined;
  return /^git|^ssh/i.test(scheme) || place.endsWith('.git')
    ? { vcs_url: `${scheme}${place}${commit === '' ? '' : `@${commit}`}` }
    : { download_url: `${scheme}${place}` };
}

/**
 * A package of an ecosystem as a component; undefined without a name. One whose version is not said has none, and one
 * that lies in the project has no package URL, which would name another package.
 * @param name as the ecosystem writes it: `@scope/name`, `vendor/name`, `group:artifact`
 * @param type of its package URL
 */
export function packageOf(
  type: string,
  name: unknown,
  version: unknown,
  { hashes = [], licenses = [], scope, source }: Known = {},
  isLicenseId: (text: string) => boolean = () => false,
): Component | undefined {
  const [whole, its] = [textOf(name), textOf(version)];
  if (whole === undefined) return undefined;
  const cut = type === 'maven' ? whole.indexOf(':') : whole.lastIndexOf('/');
  const group = cut > 0 ? whole.slice(0, cut) : undefined;
  const last = cut > 0 ? whole.slice(cut + 1) : whole;
  const qualifiers = source === undefined ? {} : qualifiersOf(source);
  const purl = qualifiers && purlOf(type, last, its, group, qualifiers);
  return {
    type: 'library',
    name: last,
    ...(group === undefined ? {} : { group }),
    ...(its === undefined ? {} : { version: its }),
    ...(purl === undefined ? {} : { purl }),
    ...(scope === undefined ? {} : { scope }),
    hashes,
    licenses: licenses.flatMap((one) => licenseOf(one, isLicenseId) ?? []),
    properties: [],
  };
}

/** Fields of an object that was parsed; none of what is none. */
export const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** Elements of a list that was parsed; none of what is none. */
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Links of one file: ten times those of a large monorepo. */
const maxLinks = 500_000;

/** Characters of names and digests that one file is made into: a large monorepo needs five million. */
const maxCharacters = 50_000_000;

/** A text up to a mark; the whole one without it. A pattern such as `\(.*$` would look at the rest once for each mark. */
export function before(text: string, mark: string): string {
  const at = text.indexOf(mark);
  return at < 0 ? text : text.slice(0, at);
}

/**
 * Gathers the packages of a file. A name may stand once in a file and be used a million times: what a file is made into
 * is bounded, not its size alone. What goes beyond throws, and the file is unreadable.
 */
export class LockListBuilder {
  readonly packages: LockedPackage[] = [];
  private readonly links = new Map<string, string[]>();
  private readonly roots = new Set<string>();
  private readonly optionalRoots = new Set<string>();
  private linkCount = 0;
  private characters = 0;

  /** Counts characters that a file is made into, or that are looked at more than once. @throws above 50,000,000 */
  spend(characters: number): void {
    this.characters += characters;
    if (this.characters > maxCharacters) throw new Error('it is made into too many characters');
  }

  /** Adds a package under its ref, and what it depends on. @throws where the file is made into too much */
  add(ref: string, component: Component | undefined, dependsOn: Iterable<string> = []): void {
    if (component === undefined) return;
    this.spend(ref.length);
    for (const { content } of component.hashes) this.spend(content.length);
    this.packages.push({ ref, component });
    const links = this.links.get(ref) ?? [];
    for (const target of dependsOn) {
      this.countLink(ref.length + target.length);
      links.push(target);
    }
    if (links.length > 0) this.links.set(ref, links);
  }

  /** Adds what the project itself depends on when it runs, by refs. @throws where the file is made into too much */
  addRoots(refs: Iterable<string>): void {
    this.addTo(this.roots, refs);
  }

  /** Adds what the project depends on for its development alone, by refs. @throws where the file is made into too much */
  addOptionalRoots(refs: Iterable<string>): void {
    this.addTo(this.optionalRoots, refs);
  }

  /**
   * The list. What only optional roots lead to is optional.
   * @param saysRoots whether the file says what the project itself depends on; by default when it names any
   */
  list(saysRoots = this.roots.size + this.optionalRoots.size > 0): LockList {
    const roots = new Set([...this.roots, ...this.optionalRoots]);
    const [needed, wanted] = [this.reached(this.roots), this.reached(this.optionalRoots)];
    const packages = this.packages.map(({ ref, component }): LockedPackage => {
      const isOptional = wanted.has(ref) && !needed.has(ref);
      return { ref, component: isOptional ? { ...component, scope: 'optional' } : component };
    });
    return { packages, links: this.links, ...(saysRoots ? { roots: [...roots] } : {}) };
  }

  /** What refs lead to, with themselves. */
  private reached(refs: ReadonlySet<string>): ReadonlySet<string> {
    const found = new Set(refs);
    // A set gives out what is added to it on the way.
    for (const ref of found) for (const target of this.links.get(ref) ?? []) found.add(target);
    return found;
  }

  private addTo(roots: Set<string>, refs: Iterable<string>): void {
    for (const ref of refs) {
      this.countLink(ref.length);
      roots.add(ref);
    }
  }

  private countLink(characters: number): void {
    this.linkCount += 1;
    if (this.linkCount > maxLinks) throw new Error('it is made into too many links');
    this.spend(characters);
  }
}
