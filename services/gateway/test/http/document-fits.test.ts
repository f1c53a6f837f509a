import fc from 'fast-check';
import { checkParameters } from '../../src/http/check-parameters';
import { pageRequest } from '../../src/http/page';
import { openapiOf } from '../../src/http/params';
import { operationId } from '../../src/http/reference/operation-id';
import { bodySchema, querySchema, shapeOf, takesFileAlone } from '../../src/http/reference/parameters';
import { routes } from '../../src/routes';
import { type RequestSchema, valuesOf } from '../support/schema-arbitrary';

const seed = Number(process.env.SEED ?? 20_300_131);

/**
 * Problems of the parameters of a request, as the pipeline finds them, without those of rules that JSON Schema cannot
 * state.
 */
function problemsOf(route: (typeof routes)[number], sent: Record<string, unknown>): string[] {
  const stated = route.relations?.filter(({ inWords }) => inWords !== true);
  const { value, problems } = checkParameters(shapeOf(route) as never, sent, stated);
  return [
    ...problems,
    ...(route.list === undefined || value === undefined ? [] : pageRequest(value, route.list).problems),
  ];
}

test('parameters that fit the document are accepted', () => {
  for (const route of routes) {
    const schema = (bodySchema(route) ?? querySchema(route)) as RequestSchema;
    if (route.upload !== undefined || takesFileAlone(route) || Object.keys(schema.properties ?? {}).length === 0)
      continue;
    fc.assert(
      fc.property(valuesOf(schema), (sent) => {
        const problems = problemsOf(route, sent as Record<string, unknown>);
        if (problems.length > 0) throw new Error(`${operationId(route)}: ${problems.join(', ')}`);
      }),
      { seed, numRuns: 40 },
    );
  }
});

test('names in paths that fit the document are accepted', () => {
  for (const route of routes) {
    for (const [name, parameter] of Object.entries(route.path_params ?? {})) {
      const values = valuesOf({ minLength: 1, ...openapiOf(parameter) });
      fc.assert(
        fc.property(
          values,
          (sent) => checkParameters({ [name]: parameter }, { [name]: String(sent) }).problems.length === 0,
        ),
        { seed, numRuns: 10 },
      );
    }
  }
});
