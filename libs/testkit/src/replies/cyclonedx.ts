import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv';
import addFormats from 'ajv-formats';

const schemas = join(require.resolve('@cyclonedx/cyclonedx-library/package.json'), '..', 'res', 'schema');
const schema = (name: string) => JSON.parse(readFileSync(join(schemas, `${name}.SNAPSHOT.schema.json`), 'utf8'));

/** What the official schema of CycloneDX says against a bill of materials; nothing when it is valid. */
export function cycloneDxFaults(version: '1.4' | '1.5' | '1.6', document: unknown): unknown {
  const ajv = new Ajv({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addFormat('iri-reference', /^[^\s<>"{}|\\^`]*$/).addFormat('idn-email', /^[^\s@]+@[^\s@]+$/);
  for (const name of ['spdx', 'jsf-0.82'])
    ajv.addSchema(schema(name), `http://cyclonedx.org/schema/${name}.SNAPSHOT.schema.json`);
  const validate = ajv.compile(schema(`bom-${version}`));
  validate(document);
  return validate.errors;
}
