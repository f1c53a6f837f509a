import { badRequest } from '@switchyard/errors';

/** What the message of a merge or squash commit may quote. */
export interface MessageValues {
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly title: string;
  readonly description: string | undefined;
  /** `group/project!1`. */
  readonly reference: string;
  readonly url: string;
  /** Message of the first commit. */
  readonly firstCommit: string;
  /** Full messages of all commits, oldest first. */
  readonly allCommits: readonly string[];
  /** `Name <email>` of who merges. */
  readonly mergedBy: string;
  /** `Name <email>` of the merge request's author. */
  readonly author: string;
  /** `Name <email>` of each commit author other than who merges. */
  readonly coAuthors: readonly string[];
}

const defaultMerge = `Merge branch '%{source_branch}' into '%{target_branch}'

%{title}

See merge request %{reference}`;

const defaultSquash = '%{title}';

type Placeholder = (values: MessageValues) => string;

const placeholders: Record<string, Placeholder> = {
  source_branch: (values) => values.sourceBranch,
  target_branch: (values) => values.targetBranch,
  title: (values) => values.title,
  description: (values) => values.description ?? '',
  reference: (values) => values.reference,
  local_reference: (values) => values.reference.slice(values.reference.indexOf('!')),
  url: (values) => values.url,
  first_commit: (values) => values.firstCommit.trim(),
  first_multiline_commit: (values) =>
    (values.allCommits.find((message) => message.trim().includes('\n')) ?? values.title).trim(),
  all_commits: (values) => values.allCommits.map((message) => `* ${message.trim()}`).join('\n\n'),
  merged_by: (values) => values.mergedBy,
  merge_request_author: (values) => values.author,
  co_authored_by: (values) => values.coAuthors.map((author) => `Co-authored-by: ${author}`).join('\n'),
  issues: () => '',
  approved_by: () => '',
  reviewed_by: () => '',
};

/**
 * Fills a template; a line whose placeholders are all empty goes, and so do blank lines at the end. Unknown
 * placeholders stay.
 */
function fill(template: string, read: (name: string) => string | undefined): string {
  const lines = template.replaceAll('\r\n', '\n').split('\n');
  const filled = lines.flatMap((line) => {
    let empty = false;
    const text = line.replace(/%\{([a-z_]+)\}/g, (whole, name: string) => {
      const value = read(name);
      if (value === '') empty = true;
      return value ?? whole;
    });
    return empty && text.trim() === '' ? [] : [text];
  });
  return filled
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const quoted =
  (values: MessageValues) =>
  (name: string): string | undefined =>
    Object.hasOwn(placeholders, name) ? placeholders[name]?.(values) : undefined;

/** Whether a template quotes the commits of the source branch, which are read from git. */
export const quotesCommits = (template: string | undefined): boolean =>
  /%\{(?:first_commit|first_multiline_commit|all_commits|co_authored_by)\}/.test(template ?? '');

/** Message of a merge commit: what the caller gave, else the project's template, else the usual one. */
export const mergeMessage = (given: string | undefined, template: string | undefined, values: MessageValues): string =>
  given || fill(template || defaultMerge, quoted(values));

/** Message of a squash commit: what the caller gave, else the project's template, else the title. */
export const squashMessage = (given: string | undefined, template: string | undefined, values: MessageValues): string =>
  given || fill(template || defaultSquash, quoted(values));

/** What the message of a commit that applies suggestions may quote. */
export interface SuggestionValues {
  readonly branch: string;
  /** Paths of the files that it changes. */
  readonly paths: readonly string[];
  readonly project: { readonly name: string; readonly path: string };
  readonly suggestions: number;
  /** Who applies them. */
  readonly user: { readonly name: string; readonly username: string };
  /** `Name <email>` of each user who suggested one and is neither author nor committer. */
  readonly coAuthors: readonly string[];
}

const defaultSuggestion = `Apply %{suggestions_count} suggestion(s) to %{files_count} file(s)

%{co_authored_by}`;

/** Characters of the message of a commit that applies suggestions, once it is filled. */
const maxSuggestionMessage = 1_000_000;

/**
 * Message of a commit that applies suggestions: what the caller gave, else the project's template, else the usual one.
 * @throws AppError bad_request when it is longer than 1,000,000 characters
 */
export function suggestionMessage(
  given: string | undefined,
  template: string | undefined,
  { branch, paths, project, suggestions, user, coAuthors }: SuggestionValues,
): string {
  const values = new Map([
    ['branch_name', branch],
    ['files_count', String(paths.length)],
    ['file_paths', paths.join(', ')],
    ['project_name', project.name],
    ['project_path', project.path],
    ['suggestions_count', String(suggestions)],
    ['user_full_name', user.name],
    ['username', user.username],
    ['co_authored_by', coAuthors.map((author) => `Co-authored-by: ${author}`).join('\n')],
  ]);
  const message = given || template || defaultSuggestion;
  // Before it is filled: a short message may quote long values very often.
  let length = message.length;
  for (const [, name = ''] of message.matchAll(/%\{([a-z_]+)\}/g)) length += values.get(name)?.length ?? 0;
  if (length > maxSuggestionMessage) throw badRequest('commit_message is too long (maximum is 1000000 characters)');
  return fill(message, (name) => values.get(name));
}
