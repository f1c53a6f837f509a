/** What is wrong with an entry of an archive, which its reader would unpack. */
export type EntryProblem = 'link_or_device' | 'leads_out' | 'named_twice';

/** An entry of a tar archive, as far as its harm depends on it. */
export interface ArchiveEntry {
  readonly name: string;
  /** Missing or null where it has none that is known. */
  readonly type?: string | null | undefined;
}

const partsOf = (path: string): string[] => path.split(/[/\\]/).filter((part) => part !== '' && part !== '.');

/** Whether an entry lies right below a folder at the top, where all readers find it. */
export const isInTopFolder = (path: string): boolean => partsOf(path).length === 2;

/**
 * The name of an entry that readers may unpack right below the top folder; undefined for others. They pass over `.` and empty parts of a path, some
 * take `\\` for `/`, and some take the first part away whatever it is.
 */
export function nameAtTop(path: string): string | undefined {
  const parts = partsOf(path);
  return parts.length <= 2 ? parts.at(-1) : undefined;
}

const kept: readonly unknown[] = ['file', 'directory', 'contiguous-file'];

/** The problem of an entry that would make something else than a file below its folder; undefined for none. */
export function problemOfEntry({ name, type }: ArchiveEntry): EntryProblem | undefined {
  if (!kept.includes(type)) return 'link_or_device';
  const leadsOut =
    /^[/\\]/.test(name) || name.split(/[/\\]/).includes('..') || /^[A-Za-z]:/.test(name) || name.includes('\0');
  return leadsOut ? 'leads_out' : undefined;
}

/** Bytes of a block, of which headers and contents of a tar archive consist. */
export const blockSize = 512;

const globalNames = /(?:^|\n)\d+ (?:path|linkpath|size)=/;

/**
 * Whether readers disagree which name an entry has, by what stands before its header: they do where there are two names
 * beside that of the header itself, where a name or size is to hold for all entries that follow, and where a sparse file
 * has its own.
 * @param blocks whole headers with their contents
 */
export function isNamedTwice(blocks: Buffer): boolean {
  let names = 0;
  for (let at = 0; at + blockSize <= blocks.length; ) {
    const type = String.fromCharCode(blocks[at + 156] ?? 0);
    const size = Number.parseInt(blocks.toString('latin1', at + 124, at + 136), 8) || 0;
    const content = blocks.toString('latin1', at + blockSize, at + blockSize + size);
    if (type === 'g' && globalNames.test(content)) return true;
    if (type === 'x' && content.includes(' GNU.sparse.')) return true;
    if (type === 'x' || type === 'L') names += 1;
    at += blockSize + Math.ceil(size / blockSize) * blockSize;
  }
  return names > 1;
}
