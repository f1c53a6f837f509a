import { invalid } from '@switchyard/errors';
import { displayTextProblems, isBlank, isUnshowable } from '@switchyard/texts';

/** A file of a snippet. */
export interface SnippetFile {
  readonly path: string;
  readonly content: string;
}

/** What is done to a file; without an action it is one of a new snippet. */
export interface SnippetFileAction {
  readonly action: string;
  readonly path: string;
  readonly previousPath: string;
  /** undefined: stays. */
  readonly content: string | undefined;
}

/** Where the files of a snippet are: it has no repository, and clients of the field name a branch all the same. */
export const snippetBranch = 'main';

/** Whether a revision is that of a snippet's files. */
export const isSnippetRef = (ref: string): boolean =>
  ['HEAD', snippetBranch, `refs/heads/${snippetBranch}`].includes(ref);

/** Files a snippet may have. */
const maxFiles = 10;
/** Characters of paths. */
const maxLength = 255;

/** Refuses a title that cannot be one. */
export function checkTitle(title: string): void {
  const problems = displayTextProblems(title);
  if (problems.length > 0) throw invalid({ title: problems });
}

/** Characters of a description, as of those of other objects (api.md section 8). */
const maxDescription = 1_048_576;

/** Refuses a description that cannot be one. */
export function checkDescription(description: string | undefined): void {
  if ((description?.length ?? 0) > maxDescription && [...(description ?? '')].length > maxDescription)
    throw invalid({ description: [`is too long (maximum is ${maxDescription} characters)`] });
}

/** Refuses files that a snippet cannot have: none, too many, without path or content, or two of one path. */
export function checkFiles(files: readonly SnippetFile[]): void {
  if (files.length === 0) throw invalid({ snippet_files: ['must have files'] });
  if (files.length > maxFiles) throw invalid({ snippet_files: [`cannot have more than ${maxFiles} files`] });
  const paths = new Set<string>();
  for (const { path, content } of files) {
    const parts = path.split('/');
    if (
      path.length > maxLength ||
      isUnshowable(path) ||
      parts.some((part) => isBlank(part) || part === '.' || part === '..')
    )
      throw invalid({ snippet_files: [`has an invalid path: ${path.slice(0, 50)}`] });
    if (content === '') throw invalid({ snippet_files: ["content can't be blank"] });
    if (paths.has(path)) throw invalid({ snippet_files: [`has ${path} already`] });
    paths.add(path);
  }
}

/** Files after some actions, in their order. An action without a path means the only file. Fails with `invalid`. */
export function applyActions(files: readonly SnippetFile[], actions: readonly SnippetFileAction[]): SnippetFile[] {
  const now = [...files];
  const indexOf = (path: string): number => {
    const at = path === '' && now.length === 1 ? 0 : now.findIndex((file) => file.path === path);
    if (at < 0) throw invalid({ snippet_actions: ['have an invalid path'] });
    return at;
  };
  for (const { action, path, previousPath, content } of actions) {
    switch (action) {
      case 'create':
        now.push({ path, content: content ?? '' });
        break;
      case 'update': {
        const at = indexOf(path);
        now[at] = { path: now[at]!.path, content: content ?? now[at]!.content };
        break;
      }
      case 'move': {
        const at = indexOf(previousPath);
        now[at] = { path: path || now[at]!.path, content: content ?? now[at]!.content };
        break;
      }
      case 'delete':
        now.splice(indexOf(path), 1);
        break;
      default:
        throw invalid({ snippet_actions: ['have an invalid action'] });
    }
  }
  checkFiles(now);
  return now;
}
