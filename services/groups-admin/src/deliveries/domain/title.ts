const maxTitle = 255;

/** The first of some values that is a text. */
const text = (...values: readonly unknown[]): string | undefined =>
  values.find((value): value is string => typeof value === 'string' && value !== '');

/** What the ledger calls the target of a hook body: the title of its object, its ref, or its name. */
export function titleOf(json: string): string {
  const body = JSON.parse(json) as Record<string, unknown>;
  const part = (name: string): Record<string, unknown> => (body[name] ?? {}) as Record<string, unknown>;
  const found = text(
    part('object_attributes').title,
    part('merge_request').title,
    part('issue').title,
    part('snippet').title,
    body.ref,
    part('object_attributes').ref,
    body.name,
    body.environment,
    body.build_name,
    body.user_name,
    part('project').name,
  );
  return (found ?? '').slice(0, maxTitle);
}
