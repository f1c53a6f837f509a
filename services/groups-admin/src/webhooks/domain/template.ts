const maxTemplate = 4_096;
/** Characters of what a template makes. */
const maxRendered = 1 << 20;

/** A piece of a template: text, or a path with whether it stands inside a JSON string. */
type Piece = string | { readonly path: readonly string[]; readonly inString: boolean };

/** A template that was read. */
export type Template = readonly Piece[];

/** What a user did wrong in a template. */
export class TemplateProblem extends Error {}

const placeholder = /\{\{\s*([^{}]*?)\s*\}\}/g;
const path = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

/** Whether a JSON string is open after a text, given whether one was open before it. */
function isOpenAfter(text: string, wasOpen: boolean): boolean {
  let open = wasOpen;
  for (let at = 0; at < text.length; at += 1) {
    if (open && text[at] === '\\') at += 1;
    else if (text[at] === '"') open = !open;
  }
  return open;
}

/**
 * Reads a template: JSON in which `{{path.to.value}}` stands for a value of the body. There is nothing to loop or branch
 * with, so what it makes grows with the template and the body alone.
 * @throws TemplateProblem
 */
export function readTemplate(text: string): Template {
  if (text.length > maxTemplate) throw new TemplateProblem(`is too long (maximum is ${maxTemplate} characters)`);
  const pieces: Piece[] = [];
  let [at, open] = [0, false];
  for (const found of text.matchAll(placeholder)) {
    const [whole, name = ''] = found;
    const before = text.slice(at, found.index);
    open = isOpenAfter(before, open);
    if (!path.test(name)) throw new TemplateProblem(`has ${whole}, which names no value`);
    pieces.push(before, { path: name.split('.'), inString: open });
    at = found.index + whole.length;
  }
  pieces.push(text.slice(at));
  try {
    JSON.parse(pieces.map((piece) => (typeof piece === 'string' ? piece : '0')).join(''));
  } catch {
    throw new TemplateProblem('is not JSON with {{path.to.value}} in the place of values');
  }
  return pieces;
}

const valueAt = (body: unknown, names: readonly string[]): unknown =>
  names.reduce<unknown>(
    (value, name) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, name)
        ? (value as Record<string, unknown>)[name]
        : undefined,
    body,
  );

/**
 * What a template makes of a body: JSON. A value that is missing is null, inside a string nothing.
 * @throws TemplateProblem when it is larger than a mebibyte
 */
export function renderTemplate(template: Template, body: unknown): string {
  let rendered = '';
  for (const piece of template) {
    if (typeof piece === 'string') rendered += piece;
    else {
      const value = valueAt(body, piece.path);
      const text = piece.inString ? (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')) : value;
      const json = JSON.stringify(text ?? (piece.inString ? '' : null));
      rendered += piece.inString ? json.slice(1, -1) : json;
    }
    if (rendered.length > maxRendered) throw new TemplateProblem('makes a body that is too large');
  }
  return rendered;
}
