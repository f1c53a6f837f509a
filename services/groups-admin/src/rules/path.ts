import { isBlank } from '@switchyard/texts';

/** Names that routes of the instance use at the top level, so no namespace may (G-4.15-12). */
const reservedAtTop = new Set([
  '-',
  '.well-known',
  'abuse_reports',
  'admin',
  'api',
  'assets',
  'dashboard',
  'deploy.html',
  'docs',
  'explore',
  'favicon.ico',
  'files',
  'groups',
  'health_check',
  'help',
  'import',
  'jwt',
  'login',
  'oauth',
  'profile',
  'projects',
  'public',
  'robots.txt',
  's',
  'search',
  'sitemap',
  'sitemap.xml',
  'snippets',
  'unsubscribes',
  'uploads',
  'users',
  'v2',
]);

/** Names that routes of a project use behind its path. */
const reservedBelow = new Set([
  '-',
  'badges',
  'blame',
  'blob',
  'builds',
  'commits',
  'create',
  'create_dir',
  'edit',
  'files',
  'find_file',
  'new',
  'preview',
  'raw',
  'refs',
  'tree',
  'update',
  'wikis',
]);

const maxLength = 255;

/** Levels of groups in one tree, at the most (G-4.15-12). */
export const maxDepth = 20;

const form = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
const refusedEnds = /(\.|\.git|\.atom)$/i;

/** What is wrong with the last part of a path (G-4.15-12); empty when it is valid. */
export function pathProblems(path: string, { atTop }: { atTop: boolean }): string[] {
  if (path === '') return ["can't be blank"];
  const problems: string[] = [];
  if (path.length > maxLength) problems.push(`is too long (maximum is ${maxLength} characters)`);
  if (!form.test(path) || refusedEnds.test(path)) {
    problems.push(
      "can contain only letters, digits, '_', '-' and '.'. It must start with a letter, digit or '_' and cannot end in '.', '.git' or '.atom'",
    );
  }
  if ((atTop ? reservedAtTop : reservedBelow).has(path.toLowerCase())) problems.push(`${path} is a reserved name`);
  return problems;
}

// Emoji are pictographs, flags (letters of regions, tags) and skin tones; joiners occur within them and within words.
const nameForm =
  /^[\p{L}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}_](?:[\p{L}\p{M}\p{N}\p{Extended_Pictographic}\p{Regional_Indicator}\p{Emoji_Modifier}\u{e0020}-\u{e007f}_.()+\- ]|\u200c|\u200d|\ufe0f)*$/u;

/** What is wrong with the display name of a group or project; empty when it is valid. */
export function nameProblems(name: string): string[] {
  if (isBlank(name)) return ["can't be blank"];
  const problems: string[] = [];
  if ([...name].length > maxLength) problems.push(`is too long (maximum is ${maxLength} characters)`);
  if (!nameForm.test(name)) {
    problems.push(
      "can contain only letters, digits, emoji, '_', '.', '+', dashes, parentheses, or spaces. It must start with a letter, digit, emoji, or '_'",
    );
  }
  return problems;
}

/** The path a project gets when only its name is given. */
export const pathFromName = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/^-+|-+$/g, '');
