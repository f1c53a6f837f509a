import { parsed } from './archive-order';

/** Where a project was when its archive was written; as archives before format 3 do not say it. */
export interface ArchiveOrigin {
  readonly projectId: number;
  readonly fullPath: string;
  /** Address of the installation. */
  readonly url: string;
}

const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** The origin that the first entry of an archive names; undefined for none. */
export function originOf(content: Uint8Array): ArchiveOrigin | undefined {
  const { project_id: projectId, full_path: fullPath, url } = parsed(content) ?? {};
  const isKnown = typeof projectId === 'number' && typeof fullPath === 'string' && typeof url === 'string';
  return isKnown && fullPath !== '' && url !== '' ? { projectId, fullPath, url } : undefined;
}

/**
 * Lines of JSON in which links to files of the project that was exported have the form that leads to the files of the
 * project in which they stand, `/uploads/<secret>/<name>` (ADR 79): these came in with their secrets.
 */
export function withOwnLinks(lines: Buffer, { projectId, fullPath, url }: ArchiveOrigin): Buffer {
  // Of the addresses of another installation a part may look the same: nothing of an address stands before it.
  const places = `(?:/-/project/${projectId}|/${literal(fullPath)})`;
  const links = new RegExp(`(?:${literal(url)}|(?<![\\w.%~/:@-]))${places}(?=/uploads/[0-9a-f]{32}/)`, 'g');
  return lines.includes('/uploads/') ? Buffer.from(lines.toString().replace(links, '')) : lines;
}
