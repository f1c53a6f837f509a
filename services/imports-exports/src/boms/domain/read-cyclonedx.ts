import { invalidParams } from '@switchyard/errors';
import { bounded, type Component, type ComponentLicense, componentTypes, type Property } from './component';
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

/** The property of a component that keeps a `purl` which is none. */
const invalidPurl = 'switchyard:dependency_scanning:invalid_purl';

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined;

type Texts = Omit<Component, 'type' | 'name' | 'hashes' | 'licenses' | 'properties'>;

const textsOf = (fields: { [K in keyof Texts]: Texts[K] | undefined }): Texts =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** What a part of a report says, or what is wrong with it. */
export type FoundInReport =
  | BomPart
  | { readonly kind: 'problem'; readonly text: string }
  /** It is no JSON. */
  | { readonly kind: 'broken'; readonly place: string }
  /** The value of a member that says what the report is. */
  | { readonly kind: 'given'; readonly name: string; readonly value: unknown };

/** Targets of one link that is given out: what one component depends on may be megabytes. */
const linkTargets = 1_000;

/** What a component depends on, in links that are passed on and written at once. */
export function* linksOf(ref: string, dependsOn: readonly string[]): Generator<BomPart> {
  for (let at = 0; at === 0 || at < dependsOn.length; at += linkTargets)
    yield { kind: 'link', ref, dependsOn: dependsOn.slice(at, at + linkTargets) };
}

/** Reads parts of a bill of materials. */
class PartReader {
  private problems: string[] = [];

  constructor(private readonly isId: (text: string) => boolean) {}

  *read({ key, index, text }: JsonPart): Generator<FoundInReport> {
    const place = index === undefined ? key : `${key}[${index}]`;
    const value = parseJson(text);
    if (value === undefined) yield { kind: 'broken', place };
    else if (key === 'components' || key === 'dependencies') {
      if (index === undefined) this.refuse(`${key} is not a list`);
      else yield* key === 'components' ? this.component(value, place) : this.link(value, place);
    } else if (key === 'metadata') yield* this.metadata(value);
    else yield { kind: 'given', name: key, value };
    yield* this.refusals();
  }

  private refuse(problem: string): [] {
    if (this.problems.length < maxProblems) this.problems.push(problem);
    return [];
  }

  private *refusals(): Generator<FoundInReport> {
    for (const text of this.problems) yield { kind: 'problem', text };
    this.problems = [];
  }

  private *metadata(value: unknown): Generator<FoundInReport> {
    const metadata = fieldsOf(value);
    if (metadata === undefined) {
      this.refuse('metadata is not an object');
      return;
    }
    const root = fieldsOf(metadata.component);
    const ref = textOf(root?.['bom-ref']);
    if (ref !== undefined) yield { kind: 'root', ref };
    for (const property of this.properties(metadata.properties, 'metadata.properties'))
      if (originName.test(property.name)) yield { kind: 'property', property };
  }

  private *link(value: unknown, place: string): Generator<FoundInReport> {
    const link = fieldsOf(value);
    const ref = textOf(link?.ref);
    if (link === undefined || ref === undefined) {
      this.refuse(`${place}.ref is missing`);
      return;
    }
    const dependsOn = this.list(link.dependsOn, `${place}.dependsOn`).flatMap((one, at) => {
      const target = textOf(one);
      return target ?? this.refuse(`${place}.dependsOn[${at}] is not a text`);
    });
    yield* linksOf(ref, dependsOn);
  }

  private *component(value: unknown, place: string): Generator<FoundInReport> {
    const given = fieldsOf(value);
    if (given === undefined) {
      this.refuse(`${place} is not an object`);
      return;
    }
    const component = this.componentOf(given, place);
    if (component !== undefined)
      yield { kind: 'component', ref: textOf(given['bom-ref']), component: bounded(component) };
    yield* this.refusals();
    for (const [at, one] of this.list(given.components, `${place}.components`).entries())
      yield* this.component(one, `${place}.components[${at}]`);
  }

  private componentOf(given: Fields, place: string): Component | undefined {
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
    if (type === undefined || name === undefined) return undefined;
    const written = textOf(given.purl);
    const purl = written === undefined ? undefined : canonicalPurl(written);
    // What is no package URL names no package. It is kept where it cannot be taken for one.
    if (written !== undefined && purl === undefined) lists.properties.push({ name: invalidPurl, value: written });
    const texts = textsOf({
      group: textOf(given.group),
      version: textOf(given.version),
      purl,
      cpe: textOf(given.cpe),
      description: textOf(given.description),
      author: textOf(given.author),
      publisher: textOf(given.publisher),
      copyright: textOf(given.copyright),
      scope: given.scope as Component['scope'],
    });
    return { type, name, ...texts, ...lists };
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

/** What parts of a report say; all of it is made as it is read. @param isId whether a text is the id of a licence of SPDX */
export function* readParts(parts: readonly JsonPart[], isId: (text: string) => boolean): Generator<FoundInReport> {
  const reader = new PartReader(isId);
  for (const part of parts) yield* reader.read(part);
}

/** What is said of a whole report, piece by piece. */
class WholeReport {
  private readonly problems: string[] = [];
  private readonly given = new Map<string, unknown>();

  /** Takes what was found; what it says of the bill, if it does. Fails with `invalid_params` at the 20th problem. */
  take(found: FoundInReport): BomPart | undefined {
    if (found.kind === 'broken') throw invalidParams(`file is not valid JSON: ${found.place} is wrong`);
    if (found.kind === 'given') this.given.set(found.name, found.value);
    else if (found.kind === 'problem') this.refuse(found.text);
    else return found;
    return undefined;
  }

  /** Says that all parts have been read; fails with every problem, up to 20 of them. */
  end(): void {
    if (this.given.get('bomFormat') !== 'CycloneDX') this.refuse('bomFormat is not CycloneDX');
    const version = this.given.get('specVersion');
    if (typeof version !== 'string' || !specVersions.has(version))
      this.refuse(`specVersion is not one of ${[...specVersions].join(', ')}`);
    this.fail();
  }

  private refuse(problem: string): void {
    this.problems.push(problem);
    if (this.problems.length >= maxProblems) this.fail();
  }

  private fail(): void {
    if (this.problems.length > 0)
      throw invalidParams(...this.problems.map((one) => `file is no CycloneDX report: ${one}`));
  }
}

/**
 * Reads a CycloneDX report in JSON as it comes, in versions 1.2 to 1.6. Memory depends on its largest component alone.
 * Fails with `invalid_params`, which names every problem, up to 20 of them; what was given out before counts for nothing
 * then.
 * @param read as `readParts` does, here or in a thread
 */
export async function* readCycloneDx(
  content: AsyncIterable<Uint8Array>,
  read: (parts: readonly JsonPart[]) => Iterable<FoundInReport> | AsyncIterable<FoundInReport>,
): AsyncGenerator<BomPart> {
  const splitter = new JsonSplitter({
    lists: new Set(['components', 'dependencies']),
    values: new Set(['bomFormat', 'specVersion', 'metadata', 'components', 'dependencies']),
    partBytes,
  });
  const report = new WholeReport();
  for await (const chunk of content) {
    const parts = splitter.push(chunk);
    if (parts.length === 0) continue;
    for await (const found of read(parts)) {
      const part = report.take(found);
      if (part !== undefined) yield part;
    }
  }
  splitter.end();
  report.end();
}
