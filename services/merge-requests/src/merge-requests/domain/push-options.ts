/** What the options of a push ask of the merge request of each branch that was pushed. */
export interface WantedByPush {
  /** Open one where none is open from the branch. */
  readonly create: boolean;
  /** Full path of the target project; else the project that this one was forked from, or itself. */
  readonly targetProject?: string;
  readonly target?: string;
  readonly title?: string;
  readonly description?: string;
  readonly draft: boolean;
  /** Title of a milestone. */
  readonly milestone?: string;
  /** Titles of labels. */
  readonly label: readonly string[];
  readonly unlabel: readonly string[];
  /** Usernames or ids. */
  readonly assign: readonly string[];
  readonly unassign: readonly string[];
  readonly removeSourceBranch: boolean;
  readonly squash: boolean;
  readonly autoMerge: boolean;
}

/** Push options as they were read. */
export interface ReadPushOptions {
  /** Undefined when no option is about merge requests. */
  readonly wanted: WantedByPush | undefined;
  /** What is wrong with options that have a meaning here, all at once. */
  readonly problems: readonly string[];
  /** Options of a family that has no meaning here. */
  readonly unknown: readonly string[];
}

/** Branches of one push that options may be about. */
export const optionBranches = 10;

const titleLength = 255;

const flags = {
  create: 'create',
  draft: 'draft',
  remove_source_branch: 'removeSourceBranch',
  squash: 'squash',
  auto_merge: 'autoMerge',
  merge_when_pipeline_succeeds: 'autoMerge',
} as const;
const texts = ['target_project', 'target', 'title', 'description', 'milestone'] as const;
const lists = ['label', 'unlabel', 'assign', 'unassign'] as const;

type Flag = keyof typeof flags;
type Text = (typeof texts)[number];
type List = (typeof lists)[number];

const isFlag = (key: string): key is Flag => Object.hasOwn(flags, key);
const isText = (key: string): key is Text => (texts as readonly string[]).includes(key);
const isList = (key: string): key is List => (lists as readonly string[]).includes(key);

/** `mr` is short for `merge_request`. Families of options without one of the two have no meaning, or are refused. */
const family = /^(merge_request|mr|ci)\.([^=]*)(?:=(.*))?$/s;

const shown = (option: string): string => `'${option.length > 100 ? `${option.slice(0, 100)}…` : option}'`;

/**
 * Reads the options of a push (`git push -o`), with GitLab's names. An option about merge requests that cannot be
 * understood is a problem, as is any about CI: a push starts no pipeline, so none of them could have an effect. What
 * `ci.skip` asks for is true of every push.
 */
export function readPushOptions(options: readonly string[]): ReadPushOptions {
  const problems: string[] = [];
  const unknown: string[] = [];
  const set = new Set<(typeof flags)[Flag]>();
  const given = new Map<Text, string>();
  const listed: Record<List, string[]> = { label: [], unlabel: [], assign: [], unassign: [] };
  let concerned = false;
  for (const option of new Set(options)) {
    const [, group, key = '', value] = family.exec(option) ?? [];
    if (group === undefined) {
      unknown.push(`The push option ${shown(option)} is unknown and has no effect.`);
      continue;
    }
    if (option === 'ci.skip') continue;
    if (group === 'ci') {
      problems.push(`The push option ${shown(option)} has no effect here: a push starts no pipeline.`);
      continue;
    }
    concerned = true;
    const name = `merge_request.${key}`;
    if (isFlag(key)) {
      if (value !== undefined && value !== '' && value !== 'true') problems.push(`${shown(name)} takes no value.`);
      else set.add(flags[key]);
    } else if (!isText(key) && !isList(key)) {
      problems.push(`The push option ${shown(option)} is not supported.`);
    } else if (value === undefined || value.trim() === '') {
      problems.push(`${shown(name)} needs a value.`);
    } else if (isList(key)) {
      listed[key].push(value.trim());
    } else if (given.has(key)) {
      problems.push(`${shown(name)} is given more than once.`);
    } else given.set(key, value);
  }
  const title = given.get('title');
  if (title !== undefined && [...title].length > titleLength)
    problems.push(`'merge_request.title' is too long (maximum is ${titleLength} characters).`);
  const wanted: WantedByPush = {
    create: set.has('create'),
    targetProject: given.get('target_project'),
    target: given.get('target'),
    title,
    // A push option is one line: this is how it has more.
    description: given.get('description')?.replaceAll('\\n', '\n'),
    draft: set.has('draft'),
    milestone: given.get('milestone'),
    ...listed,
    removeSourceBranch: set.has('removeSourceBranch'),
    squash: set.has('squash'),
    autoMerge: set.has('autoMerge'),
  };
  return { wanted: concerned ? wanted : undefined, problems, unknown };
}

/**
 * What is said of the options of a push to `branches` before anything of it moves. Options that cannot be understood
 * refuse the push; what they ask for is tried once it is done, as GitLab does, and what is not possible is told.
 */
export function checkPushOptions(
  options: readonly string[],
  branches: readonly string[],
): { refusals: readonly string[]; warnings: readonly string[]; branches: readonly string[] } {
  const { wanted, problems, unknown } = readPushOptions(options);
  if (problems.length > 0 || wanted === undefined) return { refusals: problems, warnings: unknown, branches: [] };
  if (branches.length > 0 && branches.length <= optionBranches) return { refusals: [], warnings: unknown, branches };
  const why =
    branches.length === 0
      ? 'no branch was pushed'
      : `${branches.length} branches were pushed (maximum is ${optionBranches})`;
  return { refusals: [], warnings: [...unknown, `Options about merge requests have no effect: ${why}.`], branches: [] };
}

/**
 * Title of a merge request that none was given for: of its only commit, else the name of its branch in words.
 * @param only title of the only commit
 */
export function titleOfPushed(branch: string, only: string | undefined): string {
  if (only !== undefined && only.trim() !== '') return [...only.trim()].slice(0, titleLength).join('');
  const words = branch.replace(/[-_/\s]+/g, ' ').trim();
  return words === '' ? branch : `${words[0]!.toUpperCase()}${words.slice(1)}`;
}
