const longest = 1_024;
const element = /^[A-Za-z0-9_~-][A-Za-z0-9._~-]*$/;
const majorSuffix = /^v([2-9]|[1-9]\d{1,8})$/;

/** A module of a repository. */
export interface GoModule {
  /** Its path, `forge.example/acme/app/tools/v2`. */
  readonly path: string;
  /** Folder of the repository in which it lies; empty for the repository itself. */
  readonly folder: string;
  /** 2 and more as its path says; 0 for both 0 and 1. */
  readonly major: number;
}

/**
 * A path or version as it is written in an address, `!a` for `A`; undefined for what is not written so: capital letters
 * would be the same name on some file systems.
 */
export function unescapeGo(text: string): string | undefined {
  if (/[A-Z]|!(?![a-z])/.test(text) || text.length > longest) return undefined;
  return text.replace(/!([a-z])/g, (_sign, letter: string) => letter.toUpperCase());
}

const isElement = (text: string): boolean => element.test(text) && !text.endsWith('.');

/**
 * The module with a path, where it is one of the repository of a project.
 * @param root path of the module in the repository's top folder: host and full path of the project
 */
export function moduleAt(root: string, path: string): GoModule | undefined {
  if (path !== root && !path.startsWith(`${root}/`)) return undefined;
  const below = path === root ? [] : path.slice(root.length + 1).split('/');
  if (!below.every(isElement)) return undefined;
  const major = Number(majorSuffix.exec(below.at(-1) ?? '')?.[1] ?? 0);
  return { path, folder: (major === 0 ? below : below.slice(0, -1)).join('/'), major };
}

/** A path within a folder; the folder may be empty. */
export const within = (folder: string, path: string): string => (folder === '' ? path : `${folder}/${path}`);

/** Files in which a module may be declared: that of its folder, or of the folder of its major version there. */
export const goModsOf = ({ folder, major }: GoModule): string[] =>
  major === 0 ? [within(folder, 'go.mod')] : [within(folder, 'go.mod'), within(folder, `v${major}/go.mod`)];

const word = /^(?:"([^"\\]+)"|`([^`]+)`|([^\s"`]+))/;

function statement(text: string, keyword: string): string | undefined {
  for (const line of text.split('\n')) {
    const rest = new RegExp(`^\\s*${keyword}[ \\t]+(\\S.*)$`).exec(line.trimEnd())?.[1];
    const [, quoted, raw, plain] = word.exec(rest ?? '') ?? [];
    const found = quoted ?? raw ?? plain;
    if (found !== undefined && !found.startsWith('//')) return found;
  }
  return undefined;
}

/** The path that a go.mod declares; undefined where it declares none. */
export const declaredPath = (goMod: string): string | undefined => statement(goMod, 'module');

/** Whether a go.mod asks for Go 1.24 or newer, which leaves out other folders named `vendor`. */
export function isGo124(goMod: string): boolean {
  const [, major = '0', minor = '0'] = /^(\d{1,4})\.(\d{1,4})/.exec(statement(goMod, 'go') ?? '') ?? [];
  return Number(major) > 1 || (Number(major) === 1 && Number(minor) >= 24);
}
