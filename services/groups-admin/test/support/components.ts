import { componentSchemas, componentValidator } from '@switchyard/testkit/replies';

const problemsOf = componentValidator();
const schemas = componentSchemas();

/** Holds a reply against its component of `protos/openapi`; an array against it item by item. Returns the reply. */
export function conforming<T>(component: string, reply: T): T {
  const problems = problemsOf(Array.isArray(reply) ? [component] : component, reply);
  if (problems.length > 0) throw new Error(`not a ${component}: ${problems.join('; ')}`);
  return reply;
}

interface Schema {
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly allOf?: readonly { readonly $ref: string }[];
}

/** Properties of a component, those of what it includes among them. */
export function propertiesOf(component: string): string[] {
  const { properties = {}, allOf = [] } = schemas[component] as Schema;
  const included = allOf.flatMap(({ $ref }) => propertiesOf($ref.split('/').at(-1) ?? ''));
  return [...Object.keys(properties), ...included];
}
