/** What a digest of a component is: algorithm as CycloneDX names it, and hexadecimal digits in lower case. */
export interface ComponentHash {
  readonly alg: string;
  readonly content: string;
}

/** A licence of a component: an id of SPDX, a name of its own, or an expression of SPDX. */
export type ComponentLicense =
  | { readonly id: string; readonly url?: string }
  | { readonly name: string; readonly url?: string }
  | { readonly expression: string };

/** A name with a value, such as CycloneDX keeps of a component. */
export interface Property {
  readonly name: string;
  readonly value: string;
}

/** A component as reports and lock files name it; texts are well formed and not empty. */
export interface Component {
  /** One of {@link componentTypes}. */
  readonly type: string;
  readonly name: string;
  readonly group?: string;
  readonly version?: string;
  /** Package URL in its canonical spelling, where it has one; nothing else. */
  readonly purl?: string;
  readonly cpe?: string;
  readonly description?: string;
  readonly author?: string;
  readonly publisher?: string;
  readonly copyright?: string;
  readonly scope?: 'required' | 'optional' | 'excluded';
  readonly hashes: readonly ComponentHash[];
  readonly licenses: readonly ComponentLicense[];
  readonly properties: readonly Property[];
}

/** The types of CycloneDX 1.6, each with the nearest one of 1.4. */
export const componentTypes: Readonly<Record<string, string>> = {
  application: 'application',
  framework: 'framework',
  library: 'library',
  container: 'container',
  'operating-system': 'operating-system',
  device: 'device',
  firmware: 'firmware',
  file: 'file',
  platform: 'framework',
  'device-driver': 'firmware',
  'machine-learning-model': 'file',
  data: 'file',
  'cryptographic-asset': 'file',
};

/** Characters of a key; longer identities are shortened by their digest. */
const maxKeyLength = 500;

/**
 * What makes two components the same: the package URL, else type, group, name and version. A key begins with `pkg:` or a
 * type, so that none is the ref of a project or group, whatever a report says.
 * @param digest hexadecimal digest of a text
 */
export function componentKey(
  { purl, type, group = '', name, version = '' }: Component,
  digest: (text: string) => string,
): string {
  const key = purl ?? `${type}:${group}/${name}@${version}`;
  return key.length <= maxKeyLength ? key : `${key.slice(0, maxKeyLength - 70)}#${digest(key)}`;
}

/** Most entries of a list of one merged component. */
const maxEntries = 500;

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);

/** The distinct values of several lists, in the order of their texts. */
function union<T>(lists: readonly (readonly T[])[], textOf: (one: T) => string): T[] {
  // Of two that differ beside their texts the same one stays, in whatever order they come. Each is written once for all
  // comparisons: there may be tens of thousands.
  const all = lists.flat().map((one) => ({ one, written: JSON.stringify(one) }));
  all.sort((one, other) => compare(other.written, one.written));
  const byText = new Map(all.map(({ one }) => [textOf(one), one]));
  return [...byText]
    .sort(([one], [other]) => compare(one, other))
    .slice(0, maxEntries)
    .map(([, one]) => one);
}

/** From the strictest on. A scope that is not said is `required`, as CycloneDX says. */
const scopes = ['required', undefined, 'optional', 'excluded'] as const;

const licenseText = (one: ComponentLicense): string =>
  JSON.stringify('expression' in one ? [2, one.expression] : 'id' in one ? [0, one.id] : [1, one.name]);

const scalars = [
  'type',
  'name',
  'group',
  'version',
  'purl',
  'cpe',
  'description',
  'author',
  'publisher',
  'copyright',
] as const;

/**
 * One component made of variants with one key. Neither their order nor repetitions change it: lists are joined, of
 * scopes the strictest stays, of other texts the first in the order of code units.
 */
export function mergeComponents(variants: readonly Component[]): Component {
  const merged: Record<string, unknown> = {};
  for (const name of scalars) {
    const [first] = variants.flatMap((one) => one[name] ?? []).sort(compare);
    if (first !== undefined) merged[name] = first;
  }
  const scope = scopes.find((one) => variants.some((variant) => variant.scope === one));
  return {
    ...(merged as unknown as Component),
    ...(scope === undefined ? {} : { scope }),
    hashes: union(
      variants.map((one) => one.hashes),
      ({ alg, content }) => `${alg}:${content}`,
    ),
    licenses: union(
      variants.map((one) => one.licenses),
      licenseText,
    ),
    properties: union(
      variants.map((one) => one.properties),
      ({ name, value }) => JSON.stringify([name, value]),
    ),
  };
}

/** A component with no more in its lists than a merge keeps of them; further variants change nothing of what is left out. */
export function bounded(component: Component): Component {
  const { hashes, licenses, properties } = component;
  return [hashes, licenses, properties].some(({ length }) => length > maxEntries)
    ? mergeComponents([component])
    : component;
}
