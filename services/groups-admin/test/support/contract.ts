import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv2020 from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

const folder = join(__dirname, '../../../../protos/openapi');

const schemas = Object.assign(
  {},
  ...readdirSync(folder).map((file) => parse(readFileSync(join(folder, file), 'utf8')).components.schemas),
);

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats(ajv);
ajv.addSchema({ $id: 'switchyard', components: { schemas } });

/** What keeps `value` from being the public representation `component`; nothing when it is one. */
export function breaches(component: string, value: unknown): string[] {
  const validate = ajv.compile({ $ref: `switchyard#/components/schemas/${component}` });
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    [instancePath || '/', message, JSON.stringify(params)].join(' '),
  );
}

/** Properties of a component, those of what it includes among them. */
export function propertiesOf(component: string): string[] {
  const { properties = {}, allOf = [] } = schemas[component];
  const included = (allOf as { $ref: string }[]).flatMap(({ $ref }) => propertiesOf($ref.split('/').at(-1) ?? ''));
  return [...Object.keys(properties), ...included];
}
