/** Bounds of a module: bytes of all of its files, and of two that are read whole; files. */
export const moduleBounds = { all: 500 << 20, goMod: 16 << 20, license: 16 << 20, files: 50_000 } as const;

/** A file, link or submodule of git below the folder of a module. */
export interface ModuleEntry {
  readonly path: string;
  /** Six octal digits. */
  readonly mode: string;
  readonly sha: string;
  /** Bytes. */
  readonly size: number;
}

/** The files of a module, or why it can be none. */
export type ModuleFiles = { readonly files: readonly ModuleEntry[] } | { readonly problem: string };

const reserved = /^(?:con|prn|aux|nul|com[1-9]|lpt[1-9])$/i;
const allowed = /^[A-Za-z0-9!#$%&()+,\-.=@[\]^_{}~ \p{L}]+$/u;

/** Whether every file system can have a path (the rules of Go for files of a module). */
export const isFilePath = (path: string): boolean =>
  path
    .split('/')
    .every((one) => allowed.test(one) && !one.endsWith('.') && !reserved.test(one.split('.', 1)[0] as string));

/**
 * Whether a file is of a package below a folder `vendor`. Before Go 1.24 the folder was looked for at a wrong place of
 * paths in which it is not the first: checksums of old modules depend on it.
 */
export function isVendored(path: string, isGo124: boolean): boolean {
  if (isGo124 && path === 'vendor/modules.txt') return true;
  const folder = 'vendor/';
  if (path.startsWith(folder)) return path.slice(folder.length).includes('/');
  const at = path.indexOf(`/${folder}`);
  if (at < 0) return false;
  return path.slice(isGo124 ? at + folder.length + 1 : folder.length + 1).includes('/');
}

const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);
const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
const isRegular = ({ mode }: ModuleEntry): boolean => mode.startsWith('100');

/** Folders, each with a slash at its end, that modules of their own lie in. */
function otherModules(entries: readonly ModuleEntry[]): ReadonlySet<string> {
  const folders = entries
    .filter((one) => isRegular(one) && baseOf(one.path).toLowerCase() === 'go.mod')
    .map(({ path }) => folderOf(path));
  return new Set(folders.filter((folder) => folder !== ''));
}

function liesIn(folders: ReadonlySet<string>, path: string): boolean {
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder.slice(0, -1)))
    if (folders.has(folder)) return true;
  return false;
}

const fold = (text: string): string => text.toUpperCase().toLowerCase();

/** Notices two paths that are one where letter case does not count; undefined while there are none. */
function collisionsIn(): (path: string) => string | undefined {
  const seen = new Map<string, string>();
  return (path) => {
    for (let one = path; one !== ''; one = folderOf(one).slice(0, -1)) {
      const key = fold(one);
      const other = seen.get(key);
      if (other === one) return undefined;
      if (other !== undefined) return `${other} and ${one} differ by letter case alone`;
      seen.set(key, one);
    }
    return undefined;
  };
}

function problemOf({ path, size }: ModuleEntry): string | undefined {
  if (!isFilePath(path)) return `${JSON.stringify(path)} cannot be the path of a file of a module`;
  if (path !== 'go.mod' && path.toLowerCase() === 'go.mod') return `${path} is not written go.mod`;
  if (path === 'go.mod' && size > moduleBounds.goMod) return 'go.mod is too large';
  return path === 'LICENSE' && size > moduleBounds.license ? 'LICENSE is too large' : undefined;
}

/**
 * What of a folder belongs to a module (the published rules of module zips): no other modules, vendored packages, links
 * and submodules of git.
 */
export function moduleFiles(entries: readonly ModuleEntry[], isGo124: boolean): ModuleFiles {
  const others = otherModules(entries);
  const collision = collisionsIn();
  const files: ModuleEntry[] = [];
  let left: number = moduleBounds.all;
  for (const entry of entries) {
    const { path, size } = entry;
    if (isVendored(path, isGo124) || liesIn(others, path) || path === '.hg_archival.txt') continue;
    const problem = problemOf(entry) ?? collision(path);
    if (problem !== undefined) return { problem };
    if (!isRegular(entry)) continue;
    left -= size;
    if (left < 0 || files.length === moduleBounds.files) return { problem: 'the module is too large' };
    files.push(entry);
  }
  return { files };
}
