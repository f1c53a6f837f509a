import { createHash } from 'node:crypto';
import { oneLine } from '@switchyard/texts';
import { type Component, type ComponentLicense, componentTypes } from '../domain/component';
import type { Bom } from './cyclonedx';
import { plainCpe } from './plain-cpe';
import { isLicenseExpression } from './spdx-licenses';

/** Licences with names of their own that one document explains; further ones are not asserted. */
const maxOwnLicenses = 10_000;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const idOf = (key: string): string => `SPDXRef-${digestOf(key).slice(0, 32)}`;

const algorithmOf = (alg: string): string => alg.replace(/^SHA-/, 'SHA');

/** The licences of components, and those among them that the document has to explain. */
class Licenses {
  private readonly own = new Map<string, string>();

  /** What a component declares, as an expression. */
  declared(licenses: readonly ComponentLicense[]): string {
    const terms = licenses.map((one) => this.term(one));
    if (terms.length === 0 || terms.includes('NOASSERTION')) return 'NOASSERTION';
    return terms.length === 1
      ? (terms[0] as string)
      : terms.map((one) => (/ /.test(one) ? `(${one})` : one)).join(' AND ');
  }

  /** The entries that explain names. */
  explained(): object[] {
    return [...this.own]
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([licenseId, name]) => ({ licenseId, name, extractedText: name }));
  }

  private term(one: ComponentLicense): string {
    if ('id' in one) return one.id;
    const text = 'expression' in one ? one.expression : one.name;
    // The document that says what is meant by a name of its own is not this one.
    if ('expression' in one && isLicenseExpression(text) && !/\b(?:DocumentRef|LicenseRef)-/.test(text)) return text;
    const id = `LicenseRef-${digestOf(text).slice(0, 16)}`;
    if (!this.own.has(id) && this.own.size >= maxOwnLicenses) return 'NOASSERTION';
    this.own.set(id, text);
    return id;
  }
}

function packageObject(key: string, component: Component, licenses: Licenses): object {
  const { group, name, version, purl, cpe, description, copyright, author, hashes, type } = component;
  const person = oneLine(author ?? '');
  const externalRefs = [
    ...(purl === undefined
      ? []
      : [{ referenceCategory: 'PACKAGE-MANAGER', referenceType: 'purl', referenceLocator: purl }]),
    ...(cpe !== undefined && plainCpe.test(cpe)
      ? [{ referenceCategory: 'SECURITY', referenceType: 'cpe23Type', referenceLocator: cpe }]
      : []),
  ];
  return {
    name: group === undefined ? name : `${group}/${name}`,
    SPDXID: idOf(key),
    versionInfo: version,
    downloadLocation: 'NOASSERTION',
    filesAnalyzed: false,
    licenseConcluded: 'NOASSERTION',
    licenseDeclared: licenses.declared(component.licenses),
    copyrightText: copyright ?? 'NOASSERTION',
    description,
    ...(person === '' ? {} : { originator: `Person: ${person}` }),
    primaryPackagePurpose: componentTypes[type]?.toUpperCase(),
    ...(hashes.length > 0
      ? { checksums: hashes.map(({ alg, content }) => ({ algorithm: algorithmOf(alg), checksumValue: content })) }
      : {}),
    ...(externalRefs.length > 0 ? { externalRefs } : {}),
  };
}

/** Writes a bill of materials as SPDX 2.3 in JSON, piece by piece; the same parts give the same bytes. */
export async function* writeSpdx({ head, components, dependencies }: Bom): AsyncGenerator<string> {
  const { subject, id, madeAt, toolVersion } = head;
  const licenses = new Licenses();
  const root: Component = {
    type: 'application',
    name: subject.name,
    ...(subject.version === undefined ? {} : { version: subject.version }),
    hashes: [],
    licenses: [],
    properties: [],
  };
  const start = {
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: subject.name,
    documentNamespace: `urn:uuid:${id}`,
    creationInfo: {
      created: `${madeAt.toISOString().slice(0, 19)}Z`,
      creators: [`Tool: Switchyard-${toolVersion}`],
    },
    documentDescribes: [idOf(subject.ref)],
  };
  yield `${JSON.stringify(start).slice(0, -1)},"packages":[\n${JSON.stringify(packageObject(subject.ref, root, licenses))}`;
  for await (const { key, component } of components())
    yield `,\n${JSON.stringify(packageObject(key, component, licenses))}`;
  const describes = {
    spdxElementId: 'SPDXRef-DOCUMENT',
    relationshipType: 'DESCRIBES',
    relatedSpdxElement: idOf(subject.ref),
  };
  yield `],"relationships":[\n${JSON.stringify(describes)}`;
  for await (const { key, dependsOn } of dependencies()) {
    const relations = dependsOn.map((target) => ({
      spdxElementId: idOf(key),
      relationshipType: 'DEPENDS_ON',
      relatedSpdxElement: idOf(target),
    }));
    yield relations.map((one) => `,\n${JSON.stringify(one)}`).join('');
  }
  yield `],"hasExtractedLicensingInfos":${JSON.stringify(licenses.explained())}}\n`;
}
