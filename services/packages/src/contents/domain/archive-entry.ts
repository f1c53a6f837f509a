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

const usualMagic: readonly string[] = ['ustar\u000000', 'ustar  \0'];

/** Texts of a header that end at their first NUL: where they begin and end. */
const nameField = [0, 100] as const;
const prefixField = [345, 500] as const;
const sizeField = [124, 136] as const;

const field = (block: Buffer, [start, end]: readonly [number, number]): string => block.toString('latin1', start, end);
const endsAtNul = (text: string): boolean => /^[^\0]*\0*$/.test(text);

/** What tools write into extended headers, but for names of sparse files, which only some readers know. */
const paxKey =
  /^(?:path|linkpath|size|[acm]time|uid|gid|[ug]name|comment|charset|hdrcharset|(?:SCHILY|LIBARCHIVE)\..*)$/;

/**
 * Records of an extended header, `<length> <key>=<value>` and a line feed each; undefined where it consists of others, or
 * has a line feed more, where a reader by lines begins another record.
 */
function paxRecords(content: Buffer): [key: string, value: string][] | undefined {
  const records: [string, string][] = [];
  for (let at = 0; at < content.length; ) {
    const [, digits = ''] = /^(\d{1,7}) /.exec(content.toString('latin1', at, at + 8)) ?? [];
    const end = at + Number(digits);
    const text = content.toString('latin1', at + digits.length + 1, end);
    const equals = text.indexOf('=');
    if (digits === '' || end > content.length || equals < 1 || text.indexOf('\n') !== text.length - 1) return undefined;
    records.push([text.slice(0, equals), text.slice(equals + 1, -1)]);
    at = end;
  }
  return records;
}

/** Whether an extended header says something that readers take differently: names for all entries, or of sparse files. */
function isOddExtension(type: string, content: Buffer): boolean {
  if (type === 'L' || type === 'K') return !endsAtNul(content.toString('latin1'));
  const records = paxRecords(content);
  if (records === undefined) return true;
  const isOdd = ([key, value]: readonly [string, string]) =>
    !paxKey.test(key) || (key === 'size' && !/^\d+$/.test(value));
  return records.some((record) => (type === 'g' && record[0] !== 'comment') || isOdd(record));
}

/**
 * Whether readers may disagree which name an entry has. They agree where its headers are as tools write them, and where at
 * most one of them brings another name than that of the header itself.
 * @param blocks the headers of one entry with their contents; its own is the last block
 */
export function isNamedTwice(blocks: Buffer): boolean {
  let names = 0;
  for (let at = 0; at < blocks.length; ) {
    const block = blocks.subarray(at, at + blockSize);
    const size = field(block, sizeField);
    const isUsual = usualMagic.includes(field(block, [257, 265])) && field(block, [508, 512]) !== 'tar\0';
    const hasPrefix = isUsual && field(block, [263, 265]) === '00';
    if (!isUsual || !/^[ 0-7]*[ \0]*$/.test(size) || !endsAtNul(field(block, nameField))) return true;
    if (hasPrefix && !endsAtNul(field(block, prefixField))) return true;
    at += blockSize;
    if (at >= blocks.length) break;
    const type = String.fromCharCode(block[156] ?? 0);
    const length = Number.parseInt(size, 8) || 0;
    if (isOddExtension(type, blocks.subarray(at, at + length))) return true;
    if (type === 'x' || type === 'L') names += 1;
    at += Math.ceil(length / blockSize) * blockSize;
  }
  return names > 1;
}
