/** One file of a comparison (G-4.2-12). */
export interface FileDiff {
  /** Equal to `newPath` unless renamed. */
  oldPath: string;
  newPath: string;
  /** Six octal digits; `0` where the file does not exist on that side. */
  aMode: string;
  bMode: string;
  newFile: boolean;
  renamedFile: boolean;
  deletedFile: boolean;
  /** True for lock files and generated code by their usual names. */
  generatedFile: boolean;
  /** The hunks; git's own sentence for a binary file; empty for a mere rename or change of mode, and when left out. */
  diff: string;
  /** Left out because the comparison as a whole is too long; can be requested by path. */
  collapsed: boolean;
  /** Left out because this file alone is too long. */
  tooLarge: boolean;
}

/** Files of one comparison that are listed at the most. */
export const maxDiffFiles = 1_000;

/** How much of a comparison is returned. Files past a limit keep their names and lose their text. */
export interface DiffLimits {
  /** Files listed; the rest is cut off and `overflow` set. Default 1,000. */
  maxFiles?: number;
  /** Bytes of one file's text; a longer one is `tooLarge`. Default 204,800. */
  maxPatchBytes?: number;
  /** Bytes of text of all files together; from there on files are `collapsed`. Default 5 MiB. */
  maxBytes?: number;
  /** Lines of text of all files together; from there on files are `collapsed`. Default 50,000. */
  maxLines?: number;
  /** Only this window of the files gets text and is returned, for offset paging. */
  offset?: number;
  limit?: number;
}

interface OpenFile extends FileDiff {
  parts: Buffer[];
  size: number;
}

const lineFeed = 10;
const header = Buffer.from('diff --git ');
const startsWith = (line: Buffer, text: Buffer | string): boolean =>
  line.length >= text.length &&
  line.subarray(0, text.length).equals(typeof text === 'string' ? Buffer.from(text) : text);

/** True for lock files and generated code by their usual names. */
export const isGenerated = (path: string): boolean => generatedNames.test(path);

const generatedNames =
  /(^|\/)(package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|composer\.lock|cargo\.lock|gopkg\.lock|go\.sum|poetry\.lock|pipfile\.lock|gemfile\.lock|flake\.lock)$|\.(min\.(js|css)|(js|css)\.map|pb\.go|pb\.(cc|h)|_pb2\.py|designer\.cs)$|(^|\/)node_modules\//i;

/**
 * Reads `git diff-tree -z --raw --patch` as it streams. Names and modes come from the raw part, where NUL ends them, so
 * no quoted header is ever parsed; the n-th `diff --git` line opens the n-th file. Content can forge neither: inside a
 * hunk every line begins with a blank, `+`, `-` or a backslash.
 */
export class DiffParser {
  private readonly files: OpenFile[] = [];
  private readonly maxFiles: number;
  private readonly maxPatchBytes: number;
  private readonly first: number;
  private readonly last: number;
  private bytesLeft: number;
  private linesLeft: number;
  private inPatches = false;
  private rest: Buffer = Buffer.alloc(0);
  private line: Buffer[] = [];
  private lineSize = 0;
  private skipLine = false;
  private current = -1;
  private inHunks = false;
  /** The file in which the budget of the whole ran out. */
  private cutFrom: number | undefined;

  constructor(
    private readonly unidiff: boolean,
    limits: DiffLimits,
  ) {
    this.maxFiles = limits.maxFiles ?? maxDiffFiles;
    this.maxPatchBytes = limits.maxPatchBytes ?? 204_800;
    this.bytesLeft = limits.maxBytes ?? 5 * 1024 * 1024;
    this.linesLeft = limits.maxLines ?? 50_000;
    this.first = limits.offset ?? 0;
    this.last = Math.min(this.maxFiles, limits.limit === undefined ? this.maxFiles : this.first + limits.limit);
  }

  /** True when no further input can change the result. */
  get satisfied(): boolean {
    return this.inPatches && (this.current >= this.last || this.exhausted);
  }

  private get exhausted(): boolean {
    return this.cutFrom !== undefined;
  }

  push(chunk: Buffer): void {
    if (this.inPatches) this.pushPatch(chunk);
    else this.pushRaw(chunk);
  }

  finish(): { files: FileDiff[]; total: number; overflow: boolean } {
    if (this.lineSize > 0 || this.line.length > 0) this.endLine();
    const window = this.files.slice(this.first, this.last);
    const files = window.map(({ parts, size: _, ...file }, at) => {
      const cut = !file.tooLarge && this.cutFrom !== undefined && this.first + at >= this.cutFrom;
      return { ...file, diff: cut || file.tooLarge ? '' : Buffer.concat(parts).toString('utf8'), collapsed: cut };
    });
    const overflow = this.files.length > this.maxFiles || files.some((file) => file.collapsed || file.tooLarge);
    return { files, total: this.files.length, overflow };
  }

  private pushRaw(chunk: Buffer): void {
    const data = Buffer.concat([this.rest, chunk]);
    let at = 0;
    for (;;) {
      if (data[at] === 0) {
        this.inPatches = true;
        this.rest = Buffer.alloc(0);
        if (at + 1 < data.length) this.pushPatch(data.subarray(at + 1));
        return;
      }
      const infoEnd = data.indexOf(0, at);
      const pathEnd = infoEnd < 0 ? -1 : data.indexOf(0, infoEnd + 1);
      if (pathEnd < 0) break;
      const [oldMode = '', newMode = '', , , status = ''] = data.toString('latin1', at + 1, infoEnd).split(' ');
      const path = data.toString('utf8', infoEnd + 1, pathEnd);
      if (status.startsWith('R') || status.startsWith('C')) {
        const secondEnd = data.indexOf(0, pathEnd + 1);
        if (secondEnd < 0) break;
        this.add(path, data.toString('utf8', pathEnd + 1, secondEnd), oldMode, newMode, 'renamed');
        at = secondEnd + 1;
      } else {
        // A change of type (a file becomes a link) is printed as two patches: deleted, and new.
        if (status.startsWith('T')) {
          this.add(path, path, oldMode, '000000', 'deleted');
          this.add(path, path, '000000', newMode, 'new');
        } else
          this.add(
            path,
            path,
            oldMode,
            newMode,
            status.startsWith('A') ? 'new' : status.startsWith('D') ? 'deleted' : 'changed',
          );
        at = pathEnd + 1;
      }
    }
    this.rest = data.subarray(at);
  }

  private add(
    oldPath: string,
    newPath: string,
    oldMode: string,
    newMode: string,
    what: 'new' | 'deleted' | 'renamed' | 'changed',
  ): void {
    const mode = (text: string): string => (text === '000000' ? '0' : text);
    this.files.push({
      oldPath,
      newPath,
      aMode: mode(oldMode),
      bMode: mode(newMode),
      newFile: what === 'new',
      renamedFile: what === 'renamed' && oldPath !== newPath,
      deletedFile: what === 'deleted',
      generatedFile: isGenerated(newPath),
      diff: '',
      collapsed: false,
      tooLarge: false,
      parts: [],
      size: 0,
    });
  }

  private pushPatch(chunk: Buffer): void {
    let at = 0;
    while (at < chunk.length) {
      const end = chunk.indexOf(lineFeed, at);
      const piece = chunk.subarray(at, end < 0 ? chunk.length : end + 1);
      at += piece.length;
      if (!this.skipLine) {
        this.line.push(piece);
        this.lineSize += piece.length;
        // One line alone makes its file too large: it need not be held to its end.
        if (this.inHunks && this.lineSize > this.maxPatchBytes && this.line[0]![0] !== header[0]) {
          this.dropText();
          this.skipLine = true;
          this.line = [];
          this.lineSize = 0;
        }
      }
      if (end >= 0) this.endLine();
    }
  }

  private endLine(): void {
    const skipped = this.skipLine;
    const line = this.line.length === 1 ? this.line[0]! : Buffer.concat(this.line);
    this.line = [];
    this.lineSize = 0;
    this.skipLine = false;
    if (skipped) return;
    if (startsWith(line, header)) {
      this.current += 1;
      this.inHunks = false;
      return;
    }
    const isBody = this.inHunks || startsWith(line, '@@ ') || startsWith(line, 'Binary files ');
    if (isBody) this.inHunks = true;
    else if (!this.unidiff || !(startsWith(line, '--- ') || startsWith(line, '+++ '))) return;
    this.keep(line);
  }

  private keep(line: Buffer): void {
    const file = this.files[this.current];
    if (!file || file.tooLarge || this.current < this.first || this.current >= this.last || this.exhausted) return;
    file.size += line.length;
    if (file.size > this.maxPatchBytes) {
      this.dropText();
      return;
    }
    file.parts.push(line);
    this.bytesLeft -= line.length;
    this.linesLeft -= 1;
    if (this.bytesLeft < 0 || this.linesLeft < 0) this.cutFrom = this.current;
  }

  private dropText(): void {
    const file = this.files[this.current];
    if (!file) return;
    for (const part of file.parts) this.bytesLeft += part.length;
    this.linesLeft += file.parts.length;
    file.tooLarge = true;
    file.parts = [];
  }
}
