/** What is wrong with an entry of an archive, which its reader would unpack. */
export type EntryProblem = 'link_or_device' | 'leads_out';

/** An entry of a tar archive, as far as its harm depends on it. */
export interface ArchiveEntry {
  readonly name: string;
  /** Missing or null where it has none that is known. */
  readonly type?: string | null | undefined;
}

/**
 * The name of an entry that readers may unpack right below the top folder; undefined for others. They pass over `.` and empty parts of a path, some
 * take `\\` for `/`, and some take the first part away whatever it is.
 */
export function nameAtTop(path: string): string | undefined {
  const parts = path.split(/[/\\]/).filter((part) => part !== '' && part !== '.');
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
