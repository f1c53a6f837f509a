import { invalidParams } from '@switchyard/errors';
import { parseBoolean } from '@switchyard/texts';

/** What a form says beside its file. */
export interface ArchiveForm {
  /** Id or full path; empty for that of the caller. */
  readonly namespace: string;
  readonly name: string;
  readonly path: string;
  readonly overrides: Readonly<Record<string, unknown>>;
}

/** A setting of a form as a value: `a[]` is a list. */
const overrideForm = /^override_params\[([a-z_]{1,100})\](\[\])?$/;

/**
 * Reads the fields of a form; settings come as `override_params[<name>]`.
 * @param fields by name; lists with commas
 * @throws AppError invalid_params with all problems
 */
export function readForm(fields: ReadonlyMap<string, string>): ArchiveForm {
  const problems: string[] = [];
  const overrides: Record<string, unknown> = {};
  for (const [field, value] of fields) {
    const [, name, isList] = overrideForm.exec(field) ?? [];
    if (name !== undefined) overrides[name] = isList === undefined ? value : value.split(',');
    else if (field.startsWith('override_params')) problems.push(`${field} is invalid`);
  }
  const path = fields.get('path') ?? '';
  if (path === '') problems.push(fields.has('path') ? 'path is empty' : 'path is missing');
  const overwrite = parseBoolean(fields.get('overwrite') || 'false');
  if (overwrite === undefined) problems.push('overwrite is invalid');
  // It would take away what no archive holds (ADR 69).
  else if (overwrite) problems.push('overwrite does not have a valid value');
  if (problems.length > 0) throw invalidParams(...problems);
  return { namespace: fields.get('namespace') ?? '', name: fields.get('name') || path, path, overrides };
}
