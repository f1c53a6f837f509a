/** A line of one side of a file, and its number on the other. */
export interface LinePosition {
  readonly kind: 'added' | 'removed' | 'unchanged';
  readonly oldLine: number | undefined;
  readonly newLine: number | undefined;
}

/** The numbers by which a place is named. */
export interface LineNumbers {
  readonly oldLine?: number | undefined;
  readonly newLine?: number | undefined;
}

const hunkHeader = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/**
 * Calls `visit` with each line of a file's hunks, until it returns true. What is between hunks is unchanged and not
 * visited.
 * @returns by how many lines the new side is longer behind the last hunk that begins before `oldLimit` and `newLimit`
 */
function walk(diff: string, limits: { old: number; new: number }, visit: (line: LinePosition) => boolean): number {
  let oldLine = 0;
  let newLine = 0;
  let shift = 0;
  for (const line of diff.split('\n')) {
    const header = hunkHeader.exec(line);
    if (header !== null) {
      const [, oldStart = '0', oldCount = '1', newStart = '0', newCount = '1'] = header;
      // A hunk without lines on one side names the line before it.
      oldLine = Number(oldStart) + (oldCount === '0' ? 1 : 0);
      newLine = Number(newStart) + (newCount === '0' ? 1 : 0);
      if (oldLine > limits.old || newLine > limits.new) break;
      shift = newLine - oldLine;
      continue;
    }
    if (oldLine === 0 && newLine === 0) continue;
    const mark = line[0];
    if (mark === '+') {
      if (visit({ kind: 'added', oldLine: undefined, newLine })) return shift;
      newLine += 1;
    } else if (mark === '-') {
      if (visit({ kind: 'removed', oldLine, newLine: undefined })) return shift;
      oldLine += 1;
    } else if (mark === ' ') {
      if (visit({ kind: 'unchanged', oldLine, newLine })) return shift;
      oldLine += 1;
      newLine += 1;
    } else continue;
    shift = newLine - oldLine;
  }
  return shift;
}

const anywhere = Number.POSITIVE_INFINITY;

/**
 * The number of a line of the old side on the new side of a file's diff, `undefined` when it was changed or removed. An
 * empty diff moves nothing.
 */
export function movedLine(diff: string, oldLine: number): number | undefined {
  let found: LinePosition | undefined;
  const shift = walk(diff, { old: oldLine, new: anywhere }, (line) => {
    if (line.oldLine !== oldLine) return false;
    found = line;
    return true;
  });
  return found === undefined ? oldLine + shift : found.newLine;
}

/** The number of a line of the new side on the old side of a file's diff, `undefined` when it was added. */
function originalLine(diff: string, newLine: number): number | undefined {
  let found: LinePosition | undefined;
  const shift = walk(diff, { old: anywhere, new: newLine }, (line) => {
    if (line.newLine !== newLine) return false;
    found = line;
    return true;
  });
  return found === undefined ? newLine - shift : found.oldLine;
}

/**
 * The lines of a place of an earlier diff in the one that has come after it, by which `isPosition` knows it;
 * `undefined` when it is none of that diff. What was added is there with both numbers once it is on the old side too;
 * what was removed is none any more once it is back.
 * @param oldLine the number of its old line on this one's old side
 * @param newLine the same of the new side
 */
export function positionWithin(diff: string, { oldLine, newLine }: LineNumbers): LineNumbers | undefined {
  if (oldLine === undefined && newLine !== undefined) return { oldLine: originalLine(diff, newLine), newLine };
  return isPosition(diff, oldLine, newLine) ? { oldLine, newLine } : undefined;
}

/** The numbers of a line that is named by its side alone. */
export function sidedLine(diff: string, line: number, isOld: boolean): LineNumbers {
  if (!isOld) return { oldLine: originalLine(diff, line), newLine: line };
  return { oldLine: line, newLine: movedLine(diff, line) };
}

/** The last line of a piece of a diff; undefined where it has none. */
export function lastLine(diff: string): LineNumbers | undefined {
  let last: LinePosition | undefined;
  walk(diff, { old: anywhere, new: anywhere }, (line) => {
    last = line;
    return false;
  });
  return last && { oldLine: last.oldLine, newLine: last.newLine };
}

/**
 * The two numbers by which a line code names a place that `isPosition` knows: of an added line also the number of the
 * line that follows it on the old side, of a removed one that on the new side. Undefined without a line.
 */
export function codeLines(
  diff: string,
  { oldLine, newLine }: LineNumbers,
): { readonly oldLine: number; readonly newLine: number } | undefined {
  if (oldLine !== undefined && newLine !== undefined) return { oldLine, newLine };
  const limits = { old: oldLine ?? anywhere, new: newLine ?? anywhere };
  if (newLine !== undefined) {
    const shift = walk(diff, limits, (line) => line.newLine === newLine);
    return { oldLine: newLine - shift, newLine };
  }
  if (oldLine === undefined) return undefined;
  const shift = walk(diff, limits, (line) => line.oldLine === oldLine);
  return { oldLine, newLine: oldLine + shift };
}

/**
 * Whether lines name one place of a file's diff: an added line by its new number, a removed one by its old, any other
 * by both.
 */
export function isPosition(diff: string, oldLine: number | undefined, newLine: number | undefined): boolean {
  if (oldLine === undefined && newLine === undefined) return true;
  if (oldLine !== undefined && newLine !== undefined)
    return oldLine > 0 && newLine > 0 && movedLine(diff, oldLine) === newLine;
  let found = false;
  walk(diff, { old: oldLine ?? anywhere, new: newLine ?? anywhere }, (line) => {
    found =
      oldLine === undefined
        ? line.kind === 'added' && line.newLine === newLine
        : line.kind === 'removed' && line.oldLine === oldLine;
    return found;
  });
  return found;
}
