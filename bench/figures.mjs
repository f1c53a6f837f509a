import { cpus, totalmem } from 'node:os';

/** The middle of some numbers, and their spread. */
export function summary(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { median, least: sorted[0], most: sorted.at(-1) };
}

const written = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits) : '-');

const isMet = (median, { target, atLeast }) =>
  (target === undefined || median <= target) && (atLeast === undefined || median >= atLeast);

const aimOf = ({ target, atLeast }) =>
  target !== undefined ? `<= ${target}` : atLeast !== undefined ? `>= ${atLeast}` : '';

/** Figures of one benchmark; `target` is the most a figure may be, `atLeast` the least. */
export function createReport(write = (line) => process.stdout.write(`${line}\n`)) {
  const rows = [];
  return {
    note: write,
    /**
     * @param {string} name
     * @param {number[]} values one per round; the median counts
     * @param {{ unit?: string, digits?: number, target?: number, atLeast?: number }} [options]
     */
    figure(name, values, { unit = '', digits = 2, target, atLeast } = {}) {
      const { median, least, most } = summary(values);
      const row = { name, median, least, most, unit, digits, target, atLeast, count: values.length };
      rows.push(row);
      const aim = aimOf(row);
      const verdict = aim === '' ? '' : `  (target ${aim}: ${isMet(median, row) ? 'met' : 'MISSED'})`;
      write(`  ${name}: ${written(median, digits)}${unit && ` ${unit}`}${verdict}`);
    },
    /** Prints all figures as a table; true when every target was met. */
    table() {
      const cells = rows.map((row) => {
        const { name, median, least, most, unit, digits, count } = row;
        const aim = aimOf(row);
        return [
          name,
          `${written(median, digits)}${unit && ` ${unit}`}`,
          count > 1 ? `${written(least, digits)} - ${written(most, digits)}` : '',
          count > 1 ? String(count) : '',
          aim,
          aim === '' ? '' : isMet(median, row) ? 'met' : 'MISSED',
        ];
      });
      const head = ['figure', 'median', 'spread', 'rounds', 'target', ''];
      const widths = head.map((title, at) => Math.max(title.length, ...cells.map((row) => row[at].length)));
      const line = (row) =>
        row
          .map((cell, at) => (at === 0 ? cell.padEnd(widths[at]) : cell.padStart(widths[at])))
          .join('  ')
          .trimEnd();
      write('');
      write(line(head));
      write(widths.map((width) => '-'.repeat(width)).join('  '));
      for (const row of cells) write(line(row));
      return rows.every((row) => isMet(row.median, row));
    },
  };
}

/** The machine the figures are of. */
export const machine = () =>
  `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${process.platform} ${process.arch}, Node.js ${process.versions.node}`;
