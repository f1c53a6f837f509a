import { shortened } from '@switchyard/texts';
/** Something that happened, with its hook body (G-6-4). */
export interface SentChange {
  /** `push`, `tag_push`, `issue`, `note`, `merge_request`, `pipeline`, `job`, `deployment`, `alert` … */
  readonly kind: string;
  readonly action: string;
  readonly confidential: boolean;
  /** Names the delivery: the same for each try of it. */
  readonly key: string;
  readonly body: ChangeBody;
}

/** Looks into a hook body: what is not there, or is of another type, is blank. */
export interface ChangeBody {
  /** The text or number at a path such as `project.web_url`; blank for none. */
  text(path: string): string;
  flag(path: string): boolean;
  /** The objects of a list. */
  list(path: string): ChangeBody[];
  /** The texts of a list. */
  texts(path: string): string[];
  /** As it was rendered. */
  readonly json: string;
}

const at = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (part, name) =>
        typeof part === 'object' && part !== null && Object.hasOwn(part, name)
          ? (part as Record<string, unknown>)[name]
          : undefined,
      value,
    );

const bodyOf = (value: unknown, json: string): ChangeBody => ({
  text(path) {
    const found = at(value, path);
    return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
  },
  flag: (path) => at(value, path) === true,
  list(path) {
    const found = at(value, path);
    return Array.isArray(found) ? found.map((one) => bodyOf(one, '')) : [];
  },
  texts(path) {
    const found = at(value, path);
    return Array.isArray(found) ? found.filter((one) => typeof one === 'string') : [];
  },
  json,
});

/** A hook body. @throws SyntaxError when it is no JSON */
export const changeBody = (json: string): ChangeBody => bodyOf(JSON.parse(json), json);

/** A line of a text from outside: its first line, of at most so many characters. */
export function line(text: string, max = 255): string {
  const first = text.slice(0, 4 * max).split(/[\r\n]/, 1)[0] ?? '';
  return shortened(first, max);
}

/** The start of a text of many lines. */
export const excerpt = (text: string, max = 500): string => shortened(text, max);

/** Whether a push removed its branch or tag, or created it. */
export const refChange = ({ body }: SentChange): 'created' | 'removed' | 'changed' =>
  /^0+$/.test(body.text('after')) ? 'removed' : /^0+$/.test(body.text('before')) ? 'created' : 'changed';

/** The branch or tag of a change; blank for none. */
export function refOf({ kind, body }: SentChange): string {
  if (kind === 'push' || kind === 'tag_push') return body.text('ref').replace(/^refs\/(heads|tags)\//, '');
  if (kind === 'pipeline') return body.text('object_attributes.ref');
  if (kind === 'merge_request') return body.text('object_attributes.target_branch');
  return body.text('ref');
}

/** Who caused a change, as a text names them. */
export const actorOf = ({ body }: SentChange): string =>
  line(body.text('user.name') || body.text('user_name') || body.text('user.username') || 'Somebody', 100);
