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

/** Gathers the packages of a file. */
export class LockListBuilder {
  readonly packages: LockedPackage[] = [];
  readonly links = new Map<string, string[]>();

  /** Adds a package under its ref, and what it depends on. */
  add(ref: string, component: Component | undefined, dependsOn: readonly string[] = []): void {
    if (component === undefined) return;
    this.packages.push({ ref, component });
    if (dependsOn.length > 0) this.links.set(ref, [...(this.links.get(ref) ?? []), ...dependsOn]);
  }

  /** The list; `roots` where the file says what the project itself depends on. */
  list(roots?: readonly string[]): LockList {
    return { packages: this.packages, links: this.links, ...(roots === undefined ? {} : { roots }) };
  }
}
