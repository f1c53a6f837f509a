/** Kinds of objects that have commands, by their public name. */
type CommandedKind = 'Issue' | 'MergeRequest' | 'Commit' | 'AlertManagement::Alert' | 'Epic';

const onWork: readonly CommandedKind[] = ['Issue', 'MergeRequest'];
const onPlans: readonly CommandedKind[] = [...onWork, 'Epic'];
const withTodos: readonly CommandedKind[] = [...onPlans, 'Commit', 'AlertManagement::Alert'];
const onEpics: readonly CommandedKind[] = ['Epic'];
const onIssues: readonly CommandedKind[] = ['Issue'];
const onMergeRequests: readonly CommandedKind[] = ['MergeRequest'];

/** Commands by name, with the kinds they are for. A line with no command of its kind is ordinary text. */
const kindsOf = {
  close: onPlans,
  reopen: onPlans,
  title: onPlans,
  label: onPlans,
  unlabel: onPlans,
  relabel: onPlans,
  assign: onWork,
  unassign: onWork,
  reassign: onWork,
  milestone: onWork,
  remove_milestone: onWork,
  todo: withTodos,
  done: withTodos,
  subscribe: onPlans,
  unsubscribe: onPlans,
  lock: onWork,
  unlock: onWork,
  due: onIssues,
  remove_due_date: onIssues,
  confidential: ['Issue', 'Epic'],
  health_status: onIssues,
  clear_health_status: onIssues,
  estimate: onWork,
  remove_estimate: onWork,
  spend: onWork,
  remove_time_spent: onWork,
  react: onPlans,
  epic: onIssues,
  remove_epic: onIssues,
  draft: onMergeRequests,
  ready: onMergeRequests,
  approve: onMergeRequests,
  unapprove: onMergeRequests,
  request_changes: onMergeRequests,
  child_epic: onEpics,
  remove_child_epic: onEpics,
  parent_epic: onEpics,
  remove_parent_epic: onEpics,
  relate: onEpics,
  blocks: onEpics,
  blocked_by: onEpics,
  unlink: onEpics,
} as const satisfies Record<string, readonly CommandedKind[]>;

/** Name of a command, without its slash. */
export type CommandName = keyof typeof kindsOf;

/** Other names of commands. */
const aliases: ReadonlyMap<string, CommandName> = new Map([
  ['spent', 'spend'],
  ['spend_time', 'spend'],
  ['estimate_time', 'estimate'],
  ['remove_time_estimate', 'remove_estimate'],
  ['labels', 'label'],
  ['remove_label', 'unlabel'],
  ['award', 'react'],
]);

/** What stands for a line that begins with a name, behind its text. */
const faces: ReadonlyMap<string, string> = new Map([
  ['shrug', '¯\\\uff3f(ツ)\uff3f/¯'],
  ['tableflip', '(╯°□°)╯︵ ┻━┻'],
]);

/** A command as it was written. */
export interface Command {
  /** Its own name, also when an alias was used. */
  readonly name: CommandName;
  /** The text after the name, trimmed. */
  readonly argument: string;
}

/** Commands one body may have. The rest is dropped, except `/confidential`, which hides the text. */
const maxCommands = 100;

/** Characters of an argument that are read. */
const maxArgument = 2_000;

const fence = /^ {0,3}(`{3,}|~{3,})/;
const comment = /^ {0,3}<!--/;

const rawTag = /<(\/?)(pre|code|script|style|textarea)\b/gi;
const codeSpan = /`[^`]*`/g;
const openingTag = /^<([a-z][a-z0-9-]*)(?:\s[^<>]*)?>\s*$/i;
const closingTag = /^<\/([a-z][a-z0-9-]*)\s*>\s*$/i;

/** The element of raw HTML that is open at the end of a line; undefined: none. */
function rawAfter(line: string, before?: string): string | undefined {
  if (!line.includes('<')) return before;
  let open = before;
  for (const [, slash, tag = ''] of line.replace(before === undefined ? codeSpan : '', '').matchAll(rawTag)) {
    const name = tag.toLowerCase();
    if (open === undefined) open = slash === '' ? name : undefined;
    else if (slash !== '' && name === open) open = undefined;
  }
  return open;
}

/**
 * For every element the number of the last line that closes it: `raw` anywhere in the line, `whole` with nothing else
 * in it.
 */
function lastClosings(lines: readonly string[]): Record<'raw' | 'whole', ReadonlyMap<string, number>> {
  const raw = new Map<string, number>();
  const whole = new Map<string, number>();
  for (const [at, line] of lines.entries()) {
    if (!line.includes('</')) continue;
    for (const [, slash, tag = ''] of line.matchAll(rawTag)) if (slash !== '') raw.set(tag.toLowerCase(), at);
    const name = closingTag.exec(line)?.[1];
    if (name !== undefined) whole.set(name.toLowerCase(), at);
  }
  return { raw, whole };
}

type BlockEnd = (line: string) => boolean;

/**
 * What ends the block that a line begins in which nothing is a command: code, an HTML comment, an element of HTML that
 * is closed, a quotation; undefined: it begins none.
 */
function endOfBlock(line: string, at: number, closings: ReturnType<typeof lastClosings>): BlockEnd | undefined {
  const mark = fence.exec(line)?.[1];
  if (mark !== undefined)
    return (other) => {
      const end = fence.exec(other)?.[1];
      return end !== undefined && end[0] === mark[0] && end.length >= mark.length;
    };
  if (comment.test(line)) return line.includes('-->') ? undefined : (other) => other.includes('-->');
  if (line.trimEnd() === '>>>') return (other) => other.trimEnd() === '>>>';
  let raw = rawAfter(line);
  // As in Markdown, one that a line begins with reaches to the end when it is not closed.
  if (raw !== undefined && (/^ {0,3}</.test(line) || (closings.raw.get(raw) ?? -1) > at))
    return (other) => {
      raw = rawAfter(other, raw);
      return raw === undefined;
    };
  const element = openingTag.exec(line)?.[1]?.toLowerCase();
  if (element === undefined || (closings.whole.get(element) ?? -1) <= at) return undefined;
  return (other) => closingTag.exec(other)?.[1]?.toLowerCase() === element;
}

/** The first word of a line that begins with a slash, and where it ends; -1 at the end of the line. */
function wordOf(line: string): { word: string; end: number } {
  const end = line.slice(0, 40).search(/\s/);
  return { word: (end < 0 ? line.slice(0, 40) : line.slice(0, end)).slice(1).toLowerCase(), end };
}

/** A line with a face in place of the name that it begins with; undefined: it has none. */
function withFace(line: string, kind: string): string | undefined {
  if (!line.startsWith('/') || !withTodos.some((one) => one === kind)) return undefined;
  const { word, end } = wordOf(line);
  const face = faces.get(word);
  return face && `${end < 0 ? '' : line.slice(end).trim()} ${face}`.trim();
}

function commandOf(line: string, kind: string, except: ReadonlySet<CommandName>): Command | undefined {
  if (!line.startsWith('/')) return undefined;
  const { word, end } = wordOf(line);
  const name = aliases.get(word) ?? word;
  if (!Object.hasOwn(kindsOf, name)) return undefined;
  const known = name as CommandName;
  if (!kindsOf[known].some((one) => one === kind) || except.has(known)) return undefined;
  return { name: known, argument: end < 0 ? '' : line.slice(end, end + maxArgument).trim() };
}

/**
 * Takes the commands out of a body: lines that begin with a slash and a name, not in code, HTML, comments and
 * quotations. `/shrug` and `/tableflip` stay as what they stand for. One pass, whatever the body holds.
 * @param kind public name of the kind of object it is written on
 * @param except commands that are text here
 * @returns the commands in their order, and the text that is left
 */
export function parseQuickActions(
  body: string,
  kind: string,
  except: ReadonlySet<CommandName> = new Set(),
): { text: string; commands: Command[] } {
  const commands: Command[] = [];
  if (!body.includes('/')) return { text: body, commands };
  const kept: string[] = [];
  let hidden = false;
  let changed = false;
  let ends: BlockEnd | undefined;
  const lines = body.split('\n');
  const closings = lastClosings(body.includes('</') ? lines : []);
  for (const [at, line] of lines.entries()) {
    const command = ends === undefined ? commandOf(line, kind, except) : undefined;
    if (command !== undefined) {
      const first: boolean = command.name === 'confidential' && !hidden;
      hidden ||= first;
      if (first || commands.length < maxCommands) commands.push(command);
      continue;
    }
    const faced = ends === undefined ? withFace(line, kind) : undefined;
    changed ||= faced !== undefined;
    if (ends === undefined) ends = endOfBlock(line, at, closings);
    else if (ends(line)) ends = undefined;
    kept.push(faced ?? line);
  }
  return commands.length === 0 && !changed ? { text: body, commands } : { text: kept.join('\n').trim(), commands };
}

/** Labels an argument names: `~bug ~"needs work"`, with or without the tildes. */
export function labelNames(argument: string): string[] {
  const names = [...argument.matchAll(/~?"([^"]{1,255})"|~?([^\s"~,]{1,255})/g)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
  return [...new Set(names.filter((name) => name !== ''))];
}

/** The milestone an argument names: `%v1`, `%"next one"`, with or without the sign; empty for none. */
export const milestoneName = (argument: string): string => {
  const name = argument.replace(/^%/, '');
  return (/^"([^"]*)"$/.exec(name)?.[1] ?? name).trim();
};

/** Users an argument names: `@ada @bob`, with or without the sign; `me` is the author of the text. */
export const userNames = (argument: string): string[] => [
  ...new Set(
    argument
      .split(/[\s,]+/)
      .map((name) => name.replace(/^@/, ''))
      .filter((name) => name !== '' && name !== 'and'),
  ),
];

const dayMs = 86_400_000;
const dateOf = (timestamp: Date): string => timestamp.toISOString().slice(0, 10);

/**
 * The day an argument means: `2026-01-31`, `today`, `tomorrow`, `in 3 days`, `in 2 weeks`, `in 1 month`; undefined for
 * none.
 */
export function dueDate(argument: string, now: Date): string | undefined {
  const text = argument.trim().toLowerCase();
  if (text === 'today') return dateOf(now);
  if (text === 'tomorrow') return dateOf(new Date(now.getTime() + dayMs));
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) {
    const timestamp = new Date(`${text}T00:00:00Z`);
    return !text.startsWith('0000') && !Number.isNaN(timestamp.getTime()) && dateOf(timestamp) === text
      ? text
      : undefined;
  }
  const [, count = '', unit = ''] = /^(?:in )?(\d{1,3}) (day|week|month)s?$/.exec(text) ?? [];
  if (unit === '') return undefined;
  if (unit !== 'month') return dateOf(new Date(now.getTime() + Number(count) * (unit === 'week' ? 7 : 1) * dayMs));
  const timestamp = new Date(now);
  timestamp.setUTCMonth(timestamp.getUTCMonth() + Number(count));
  return dateOf(timestamp);
}
