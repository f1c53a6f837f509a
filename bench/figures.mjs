import { cpus, totalmem } from 'node:os';

/** The middle of some numbers, and their spread. */
export function summary(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const median = sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  return { median, least: sorted[0], most: sorted.at(-1) };
}

const written = (value, digits) => (Number.isFinite(value) ? value.toFixed(digits) : '-');

/** Figures of one benchmark; `target` is the most a figure may be. */
export function createReport(write = (line) => process.stdout.write(`${line}\n`)) {
  const rows = [];
  return {
    note: write,
    /**
     * @param {string} name
     * @param {number[]} values one per round; the median counts
     * @param {{ unit?: string, digits?: number, target?: number }} [options]
     */
    figure(name, values, { unit = '', digits = 2, target } = {}) {
      const { median, least, most } = summary(values);
      rows.push({ name, median, least, most, unit, digits, target, count: values.length });
      const verdict =
        target === undefined ? '' : median <= target ? `  (target ${target}: met)` : `  (target ${target}: MISSED)`;
      write(`  ${name}: ${written(median, digits)}${unit && ` ${unit}`}${verdict}`);
    },
    /** Prints all figures as a table; true when every target was met. */
    table() {
      const cells = rows.map(({ name, median, least, most, unit, digits, target, count }) => [
        name,
        `${written(median, digits)}${unit && ` ${unit}`}`,
        count > 1 ? `${written(least, digits)} - ${written(most, digits)}` : '',
        count > 1 ? String(count) : '',
        target === undefined ? '' : `<= ${target}`,
        target === undefined ? '' : median <= target ? 'met' : 'MISSED',
      ]);
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
      return rows.every(({ median, target }) => target === undefined || median <= target);
    },
  };
}

/** The machine the figures are of. */
export const machine = () =>
  `${cpus().length} cores (${cpus()[0]?.model.trim() ?? 'unknown'}), ${(totalmem() / 2 ** 30).toFixed(0)} GiB, ${process.platform} ${process.arch}, Node.js ${process.versions.node}`;
