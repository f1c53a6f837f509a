import { invalidParams } from '@switchyard/errors';
import { type Component, type ComponentLicense, componentTypes, type Property } from './component';
import { canonicalPurl, hashOf, textOf } from './component-texts';
import { type JsonPart, JsonSplitter, parseJson } from './split-json';

/** What a bill of materials says, piece by piece. Refs are names within it. */
export type BomPart =
  | { readonly kind: 'component'; readonly ref: string | undefined; readonly component: Component }
  /** What the bill is of. */
  | { readonly kind: 'root'; readonly ref: string }
  /** What a component depends on. */
  | { readonly kind: 'link'; readonly ref: string; readonly dependsOn: readonly string[] }
  /** A property of the bill that says where it comes from (G-4.14-5). */
  | { readonly kind: 'property'; readonly property: Property };

/** Versions of the specification that are read. */
const specVersions = new Set(['1.2', '1.3', '1.4', '1.5', '1.6']);

/** Bytes of one component with those inside it, or of one entry of the graph. */
const partBytes = 4 << 20;

/** Problems after which reading ends. */
const maxProblems = 20;

/** Entries of a list of one component, and of one entry of the graph. */
const maxEntries = 100_000;

/** Properties of a report that say which file, language and package manager it comes from, under whichever prefix. */
const originName =
  /^[\w.:-]{0,60}:?dependency_scanning:(?:(?:input|source)_file:path|(?:language|package_manager):name)$/;

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;

type Texts = Omit<Component, 'type' | 'name' | 'hashes' | 'licenses' | 'properties'>;

const textsOf = (fields: { [K in keyof Texts]: Texts[K] | undefined }): Texts =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** Reads the parts of one bill of materials. */
class BomReader {
  private readonly problems: string[] = [];
  private readonly given = new Map<string, unknown>();

  constructor(private readonly isId: (text: string) => boolean) {}

  /** What one part says. */
  read({ key, index, text }: JsonPart): BomPart[] {
    const place = index === undefined ? key : `${key}[${index}]`;
    const value = parseJson(text, () => invalidParams(`file is not valid JSON: ${place} is wrong`));
    if (key === 'components')
      return index === undefined ? this.refuse(`${key} is not a list`) : this.component(value, place);
    if (key === 'dependencies')
      return index === undefined ? this.refuse(`${key} is not a list`) : this.link(value, place);
    if (key === 'metadata') return this.metadata(value);
    this.given.set(key, value);
    return [];
  }

  /** Says that all parts have been read; fails with every problem, up to 20 of them. */
  end(): void {
    if (this.given.get('bomFormat') !== 'CycloneDX') this.refuse('bomFormat is not CycloneDX');
    const version = this.given.get('specVersion');
    if (typeof version !== 'string' || !specVersions.has(version))
      this.refuse(`specVersion is not one of ${[...specVersions].join(', ')}`);
    this.fail();
  }

  private fail(): void {
    if (this.problems.length > 0)
      throw invalidParams(...this.problems.map((one) => `file is no CycloneDX report: ${one}`));
  }

  private refuse(problem: string): [] {
    this.problems.push(problem);
    if (this.problems.length >= maxProblems) this.fail();
    return [];
  }

  private metadata(value: unknown): BomPart[] {
    const metadata = fieldsOf(value);
    if (metadata === undefined) return this.refuse('metadata is not an object');
    const root = fieldsOf(metadata.component);
    const ref = textOf(root?.['bom-ref']);
    const properties = this.properties(metadata.properties, 'metadata.properties').filter(({ name }) =>
      originName.test(name),
    );
    return [
      ...(ref === undefined ? [] : [{ kind: 'root' as const, ref }]),
      ...properties.map((property) => ({ kind: 'property' as const, property })),
    ];
  }

  private link(value: unknown, place: string): BomPart[] {
    const link = fieldsOf(value);
    const ref = textOf(link?.ref);
    if (link === undefined || ref === undefined) return this.refuse(`${place}.ref is missing`);
    const dependsOn = this.list(link.dependsOn, `${place}.dependsOn`).flatMap((one, at) => {
      const target = textOf(one);
      return target ?? this.refuse(`${place}.dependsOn[${at}] is not a text`);
    });
    return [{ kind: 'link', ref, dependsOn }];
  }

  private component(value: unknown, place: string): BomPart[] {
    const given = fieldsOf(value);
    if (given === undefined) return this.refuse(`${place} is not an object`);
    const type = typeof given.type === 'string' && Object.hasOwn(componentTypes, given.type) ? given.type : undefined;
    if (type === undefined) this.refuse(`${place}.type is not a type of component`);
    const name = textOf(given.name);
    if (name === undefined) this.refuse(`${place}.name is missing`);
    for (const field of [
      'version',
      'group',
      'purl',
      'bom-ref',
      'cpe',
      'description',
      'author',
      'publisher',
      'copyright',
    ])
      if (given[field] !== undefined && typeof given[field] !== 'string')
        this.refuse(`${place}.${field} is not a text`);
    if (given.scope !== undefined && !['required', 'optional', 'excluded'].includes(given.scope as string))
      this.refuse(`${place}.scope is not a scope`);
    const lists = {
      hashes: this.list(given.hashes, `${place}.hashes`).flatMap((one) => {
        const { alg, content } = fieldsOf(one) ?? {};
        return hashOf(alg, content) ?? this.refuse(`${place}.hashes has an entry that is no digest`);
      }),
      licenses: this.list(given.licenses, `${place}.licenses`).flatMap(
        (one) => this.license(one) ?? this.refuse(`${place}.licenses has an entry that is no licence`),
      ),
      properties: this.properties(given.properties, `${place}.properties`),
    };
    const inside = this.list(given.components, `${place}.components`).flatMap((one, at) =>
      this.component(one, `${place}.components[${at}]`),
    );
    if (type === undefined || name === undefined) return inside;
    const written = textOf(given.purl);
    const texts = textsOf({
      group: textOf(given.group),
      version: textOf(given.version),
      purl: written === undefined ? undefined : canonicalPurl(written),
      cpe: textOf(given.cpe),
      description: textOf(given.description),
      author: textOf(given.author),
      publisher: textOf(given.publisher),
      copyright: textOf(given.copyright),
      scope: given.scope as Component['scope'],
    });
    const component: Component = { type, name, ...texts, ...lists };
    return [{ kind: 'component', ref: textOf(given['bom-ref']), component }, ...inside];
  }

  private license(value: unknown): ComponentLicense | undefined {
    const choice = fieldsOf(value);
    const expression = textOf(choice?.expression);
    if (expression !== undefined) return { expression };
    const license = fieldsOf(choice?.license);
    const url = textOf(license?.url);
    const linked = url === undefined ? {} : { url };
    const id = textOf(license?.id);
    if (id !== undefined) return this.isId(id) ? { id, ...linked } : { name: id, ...linked };
    const name = textOf(license?.name);
    return name === undefined ? undefined : { name, ...linked };
  }

  private properties(value: unknown, place: string): Property[] {
    return this.list(value, place).flatMap((one) => {
      const fields = fieldsOf(one);
      const name = textOf(fields?.name);
      if (name === undefined) return this.refuse(`${place} has an entry without a name`);
      return { name, value: textOf(fields?.value) ?? '' };
    });
  }

  private list(value: unknown, place: string): readonly unknown[] {
    if (value === undefined || value === null) return [];
    if (!Array.isArray(value)) return this.refuse(`${place} is not a list`);
    return value.length > maxEntries ? this.refuse(`${place} has more than ${maxEntries} entries`) : value;
  }
}

/**
 * Reads a CycloneDX report in JSON as it comes, in versions 1.2 to 1.6. Memory depends on its largest component alone.
 * Fails with `invalid_params`, which names every problem, up to 20 of them; what was given out before counts for nothing
 * then.
 * @param isId whether a text is the id of a licence of SPDX
 */
export async function* readCycloneDx(
  content: AsyncIterable<Uint8Array>,
  isId: (text: string) => boolean,
): AsyncGenerator<BomPart> {
  const splitter = new JsonSplitter({
    lists: new Set(['components', 'dependencies']),
    values: new Set(['bomFormat', 'specVersion', 'metadata', 'components', 'dependencies']),
    partBytes,
  });
  const reader = new BomReader(isId);
  for await (const chunk of content) for (const part of splitter.push(chunk)) yield* reader.read(part);
  splitter.end();
  reader.end();
}
