const parameter = /[:*]([a-z_][a-z_0-9]*)/g;

/** Names of the parameters of a path: `:name` is one segment, `*name` is one or more. */
export const pathNames = (path: string): string[] => [...path.matchAll(parameter)].map(([, name = '']) => name);

/** A path as OpenAPI writes it. */
export const openapiPath = (path: string): string => path.replace(parameter, '{$1}');

/** The parameters of a request as texts: the segments of a `*name` are joined again. */
export const pathValues = (parameters: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, Array.isArray(value) ? value.join('/') : value]),
  );
