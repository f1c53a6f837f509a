import { type Component, type ComponentLicense, componentTypes, type Property } from '../domain/component';
import { plainCpe } from './plain-cpe';
import { isLicenseExpression } from './spdx-licenses';

/** Versions of CycloneDX that are written. */
export type SpecVersion = '1.4' | '1.5' | '1.6';

/** What a bill of materials says of itself. */
export interface BomHead {
  /** What it is of. */
  readonly subject: { readonly ref: string; readonly name: string; readonly version?: string | undefined };
  /** A UUID that follows from what it was made of. */
  readonly id: string;
  /** When what it is of was made. */
  readonly madeAt: Date;
  readonly properties: readonly Property[];
  /** Version of the program that writes it. */
  readonly toolVersion: string;
  /** Mail address of who is answerable for it. */
  readonly email: string;
}

/** A bill of materials, whose parts come in the order of their keys. */
export interface Bom {
  readonly head: BomHead;
  components(): AsyncIterable<{ readonly key: string; readonly component: Component }>;
  /** What depends on what: each key once. */
  dependencies(): AsyncIterable<{ readonly key: string; readonly dependsOn: readonly string[] }>;
}

/** Characters of a version, which CycloneDX 1.6 is the first to bound; a longer one is left out, since a part of it would be another version. */
const longestVersion = 1_024;

const licenseObject = (one: ComponentLicense) => {
  // An expression stands alone in its list; beside others it is a name, and so is one that is none.
  const { url, ...license } = 'expression' in one ? { name: one.expression, url: undefined } : one;
  return { license: { ...license, ...(isAddress(url) ? { url } : {}) } };
};

const isAddress = (url: string | undefined): boolean =>
  url !== undefined && /^https?:\/\/[\w.~:/?#@!$&'()*+,;=%-]+$/.test(url);

function licenseList(licenses: readonly ComponentLicense[]): object[] {
  const [only] = licenses;
  if (licenses.length === 1 && only !== undefined && 'expression' in only && isLicenseExpression(only.expression))
    return [{ expression: only.expression }];
  return licenses.map(licenseObject);
}

/** A component of one version of CycloneDX. */
function componentObject(key: string, component: Component, version: SpecVersion): object {
  const {
    type,
    group,
    name,
    version: its,
    description,
    scope,
    hashes,
    licenses,
    copyright,
    cpe,
    purl,
    author,
    publisher,
  } = component;
  const isOlder = version === '1.4';
  const known = version === '1.6' || type !== 'cryptographic-asset' ? type : 'data';
  return {
    type: isOlder ? componentTypes[type] : known,
    'bom-ref': key,
    author,
    publisher,
    group,
    name,
    version: version === '1.6' && its !== undefined && its.length > longestVersion ? undefined : its,
    description,
    scope,
    ...(hashes.length > 0 ? { hashes: hashes.map(({ alg, content }) => ({ alg, content })) } : {}),
    ...(licenses.length > 0 ? { licenses: licenseList(licenses) } : {}),
    copyright,
    ...(cpe !== undefined && plainCpe.test(cpe) ? { cpe } : {}),
    purl,
    ...(component.properties.length > 0 ? { properties: component.properties } : {}),
  };
}

/**
 * Writes a bill of materials as CycloneDX in JSON (G-4.14-5), piece by piece. The same parts give the same bytes: it has
 * no time of writing, and its serial number follows from what it was made of.
 */
export async function* writeCycloneDx(
  { head, components, dependencies }: Bom,
  version: SpecVersion,
): AsyncGenerator<string> {
  const { subject, id, properties, toolVersion, email } = head;
  const start = {
    bomFormat: 'CycloneDX',
    specVersion: version,
    serialNumber: `urn:uuid:${id}`,
    version: 1,
    metadata: {
      tools: [{ vendor: 'Switchyard', name: 'Switchyard', version: toolVersion }],
      authors: [{ name: 'Switchyard', email }],
      component: { type: 'application', 'bom-ref': subject.ref, name: subject.name, version: subject.version },
      ...(properties.length > 0 ? { properties } : {}),
    },
  };
  yield `${JSON.stringify(start).slice(0, -1)},"components":[`;
  let isFirst = true;
  for await (const { key, component } of components()) {
    yield `${isFirst ? '' : ','}\n${JSON.stringify(componentObject(key, component, version))}`;
    isFirst = false;
  }
  yield '],"dependencies":[';
  isFirst = true;
  for await (const { key, dependsOn } of dependencies()) {
    yield `${isFirst ? '' : ','}\n${JSON.stringify({ ref: key, dependsOn })}`;
    isFirst = false;
  }
  yield ']}\n';
}
