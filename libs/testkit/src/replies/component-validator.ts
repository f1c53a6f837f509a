import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

/** What a reply is declared to be: the name of an OpenAPI component, or a list of them. */
export type Component = string | readonly [string];

/** Checks a value of JSON against a component; the problems, or none. */
export type ComponentValidator = (component: Component, value: unknown) => string[];

/** The schemas of every public representation, by component: `protos/openapi/*.yaml`. */
function componentSchemas(): Record<string, unknown> {
  const folder = join(dirname(require.resolve('@switchyard/protos/package.json')), 'openapi');
  const documents = readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => parse(readFileSync(join(folder, file), 'utf8')));
  return Object.assign({}, ...documents.map(({ components }) => components.schemas));
}

/** Builds the validator over every component of `protos/openapi`. It throws on a component that is not there. */
export function componentValidator(): ComponentValidator {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats(ajv);
  ajv.addSchema({ $id: 'switchyard', components: { schemas: componentSchemas() } });
  const compiled = new Map<string, ValidateFunction>();
  // Ajv knows a schema it has compiled by its identity alone.
  const validatorOf = (component: Component): ValidateFunction => {
    const name = JSON.stringify(component);
    const known = compiled.get(name);
    if (known !== undefined) return known;
    const one = { $ref: `switchyard#/components/schemas/${component}` };
    const made = ajv.compile(typeof component === 'string' ? one : { type: 'array', items: one });
    compiled.set(name, made);
    return made;
  };
  return (component, value) => {
    const validate = validatorOf(component);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      (error) => `${error.instancePath || '/'} ${error.message} ${JSON.stringify(error.params)}`,
    );
  };
}
