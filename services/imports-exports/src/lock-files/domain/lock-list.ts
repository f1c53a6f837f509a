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
}

/**
 * A package of an ecosystem as a component; undefined without a name or a version.
 * @param name as the ecosystem writes it: `@scope/name`, `vendor/name`, `group:artifact`
 * @param type of its package URL
 */
export function packageOf(
  type: string,
  name: unknown,
  version: unknown,
  { hashes = [], licenses = [], scope }: Known = {},
  isLicenseId: (text: string) => boolean = () => false,
): Component | undefined {
  const [whole, its] = [textOf(name), textOf(version)];
  if (whole === undefined || its === undefined) return undefined;
  const cut = type === 'maven' ? whole.indexOf(':') : whole.lastIndexOf('/');
  const group = cut > 0 ? whole.slice(0, cut) : undefined;
  const last = cut > 0 ? whole.slice(cut + 1) : whole;
  const purl = purlOf(type, last, its, group);
  return {
    type: 'library',
    name: last,
    ...(group === undefined ? {} : { group }),
    version: its,
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

  /** Adds what the project itself depends on, by refs. @throws where the file is made into too much */
  addRoots(refs: Iterable<string>): void {
    for (const ref of refs) {
      this.countLink(ref.length);
      this.roots.add(ref);
    }
  }

  /** The list. @param saysRoots whether the file says what the project itself depends on; by default when it names any */
  list(saysRoots = this.roots.size > 0): LockList {
    return { packages: this.packages, links: this.links, ...(saysRoots ? { roots: [...this.roots] } : {}) };
  }

  private countLink(characters: number): void {
    this.linkCount += 1;
    if (this.linkCount > maxLinks) throw new Error('it is made into too many links');
    this.spend(characters);
  }
}
