import { closeSync, existsSync, fstatSync, openSync, renameSync, writeSync } from 'node:fs';

const MAX_BYTES = 20 * 1024 * 1024;
const KEPT_FILES = 3;
const ERROR_LEVEL = 50;
const SHOWN_PER_WINDOW = 3;
const WINDOW_MS = 10_000;
const SHOWN_LENGTH = 200;

/**
 * The log file of one process: rotated when opened and at 20 MiB, with three older files beside it (`.1` the newest).
 * Errors are summed up on the screen, three in ten seconds, then counted.
 *
 * @param {string} file
 * @param {{ name: string, show: (line: string) => void, maxBytes?: number, now?: () => number }} options
 */
export function openServiceLog(file, { name, show, maxBytes = MAX_BYTES, now = Date.now }) {
  rotate(file);
  let descriptor = openSync(file, 'a', 0o600);
  let size = fstatSync(descriptor).size;
  let rest = '';
  let lastError;
  let window = { began: now(), shown: 0, hidden: 0 };

  function write(chunk) {
    if (descriptor === undefined) return;
    try {
      if (size > maxBytes) {
        closeSync(descriptor);
        rotate(file);
        descriptor = openSync(file, 'a', 0o600);
        size = 0;
      }
      size += writeSync(descriptor, chunk);
    } catch (error) {
      // A full disk must not take the processes down with it.
      if (error.code !== 'ENOSPC' && error.code !== 'EDQUOT') throw error;
    }
  }

  function summarise(line) {
    const message = errorMessage(line, name);
    if (message === undefined) return;
    lastError = message;
    if (now() - window.began > WINDOW_MS) {
      if (window.hidden > 0) show(`${name}: ${window.hidden} more errors in ${file}`);
      window = { began: now(), shown: 0, hidden: 0 };
    }
    if (window.shown < SHOWN_PER_WINDOW) {
      window.shown++;
      show(`${name}: ${message}`);
    } else {
      window.hidden++;
    }
  }

  return {
    /** Takes output as it comes, in pieces of any size. @param {string} chunk */
    take(chunk) {
      write(chunk);
      const lines = (rest + chunk).split('\n');
      rest = lines.pop().slice(-maxBytes);
      for (const line of lines) summarise(line);
    },
    /** The message of the latest error, if there was one. */
    lastError: () => lastError,
    close() {
      if (descriptor !== undefined) closeSync(descriptor);
      descriptor = undefined;
    },
  };
}

/** What an error line says: of a JSON line its message; of others a crash report of Node, or `<process>: …`. */
function errorMessage(line, name) {
  if (line.startsWith(`${name}: `)) return shorten(line.slice(name.length + 2));
  if (line.startsWith('{')) {
    if (!/"level":\s*(?:[56]\d|"(?:error|fatal)")/.test(line)) return undefined;
    try {
      const entry = JSON.parse(line);
      const level = typeof entry.level === 'number' ? entry.level : ERROR_LEVEL;
      if (level < ERROR_LEVEL) return undefined;
      const cause = (entry.err ?? entry.error)?.message;
      return shorten([entry.msg, cause].filter((part, index, all) => part && all.indexOf(part) === index).join(': '));
    } catch {
      return shorten(line);
    }
  }
  return /^(?:\w*Error\b|node: )/.test(line) || / (?:FATAL|PANIC): /.test(line) ? shorten(line) : undefined;
}

function shorten(text) {
  const flat = text.replace(/\s+/g, ' ').trim();
  return flat.length > SHOWN_LENGTH ? `${flat.slice(0, SHOWN_LENGTH)}…` : flat;
}

function rotate(file) {
  for (let age = KEPT_FILES; age >= 1; age--) {
    const from = age === 1 ? file : `${file}.${age - 1}`;
    if (existsSync(from)) renameSync(from, `${file}.${age}`);
  }
}
