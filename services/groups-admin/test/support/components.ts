import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

const folder = join(__dirname, '..', '..', '..', '..', 'protos', 'openapi');

const schemas = Object.assign(
  {},
  ...readdirSync(folder)
    .filter((name) => name.endsWith('.yaml'))
    .map((name) => parse(readFileSync(join(folder, name), 'utf8')).components.schemas),
);

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema({ $id: 'switchyard', components: { schemas } });

/** Holds a reply against its component of `protos/openapi`; an array against it item by item. Returns the reply. */
export function conforming<T>(component: string, reply: T): T {
  const validate = ajv.getSchema(`switchyard#/components/schemas/${component}`);
  if (validate === undefined) throw new Error(`no component ${component}`);
  for (const one of Array.isArray(reply) ? reply : [reply]) {
    if (validate(one)) continue;
    const problems = (validate.errors ?? []).map(
      (error) => `${error.instancePath} ${error.message} ${JSON.stringify(error.params)}`,
    );
    throw new Error(`not a ${component}: ${problems.join('; ')}`);
  }
  return reply;
}

/** Properties of a component, those of what it includes among them. */
export function propertiesOf(component: string): string[] {
  const { properties = {}, allOf = [] } = schemas[component];
  const included = (allOf as { $ref: string }[]).flatMap(({ $ref }) => propertiesOf($ref.split('/').at(-1) ?? ''));
  return [...Object.keys(properties), ...included];
}
