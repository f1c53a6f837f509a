const namePattern = /^[A-Za-z0-9._+-]{1,255}$/;
const fileNamePattern = /^(?![~@])[A-Za-z0-9._+~@-]{1,255}$/;

/** The path of a file of a generic package, as a publisher writes it. */
export interface GenericPath {
  readonly name: string;
  readonly version: string;
  /** Folders within the package, then the name of the file. */
  readonly filePath: string;
}

const isDotted = (segment: string): boolean => segment === '.' || segment === '..';

/**
 * What is wrong with a path, as `name text` (G-4.17-10); nothing when it may be used. Each segment is a name of its own,
 * so no path leads out of its package.
 */
export function pathProblems({ name, version, filePath }: GenericPath): string[] {
  const segments = filePath.split('/');
  const last = segments.pop() ?? '';
  const isFileName = (segment: string): boolean => fileNamePattern.test(segment) && !isDotted(segment);
  return [
    ...(namePattern.test(name) && !isDotted(name) ? [] : ['package_name is invalid']),
    ...(namePattern.test(version) && !isDotted(version) ? [] : ['package_version is invalid']),
    ...(segments.every(isFileName) ? [] : ['path is invalid']),
    ...(isFileName(last) && filePath.length <= 255 ? [] : ['file_name is invalid']),
  ];
}
