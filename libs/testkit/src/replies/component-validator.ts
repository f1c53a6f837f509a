import { readFileSync } from 'node:fs';
import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

/** What a reply is declared to be: the name of an OpenAPI component, or a list of them. */
export type Component = string | readonly [string];

/** Checks a value of JSON against a component; the problems, or none. */
export type ComponentValidator = (component: Component, value: unknown) => string[];

/** The schemas of every public representation, by component: `protos/openapi/*.yaml`. */
export const componentSchemas = (): Record<string, unknown> =>
  JSON.parse(readFileSync(require.resolve('@switchyard/protos/components.json'), 'utf8'));

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
