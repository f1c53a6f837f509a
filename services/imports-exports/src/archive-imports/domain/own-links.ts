import { badArchive, parsed } from './archive-order';

/** Where a project was when its archive was written; as archives before format 3 do not say it. */
export interface ArchiveOrigin {
  readonly projectId: number;
  readonly fullPath: string;
  /** Address of the installation. */
  readonly url: string;
}

/** Characters of a path of 20 levels, and of an address, at the most. */
const longestPlace = 20 * 256;

/**
 * The origin that the first entry of an archive names; undefined for none.
 * @throws AppError unprocessable for one that is none
 */
export function originOf(content: Uint8Array): ArchiveOrigin | undefined {
  const { project_id: projectId, full_path: fullPath, url } = parsed(content) ?? {};
  const isKnown = typeof projectId === 'number' && typeof fullPath === 'string' && typeof url === 'string';
  if (!isKnown || fullPath === '' || url === '') return undefined;
  if (!Number.isSafeInteger(projectId) || fullPath.length > longestPlace || url.length > longestPlace)
    throw badArchive('it does not say where the project was');
  return { projectId, fullPath, url };
}

/** The link of a file, behind the place of its project. */
const linkForm = /\/uploads\/[0-9a-f]{32}\//g;

/** What may stand at the end of an address: a place behind it may be that of another installation. */
const addressEnd = /[\w.%~/:@-]$/;

/**
 * Lines of JSON in which links to files of the project that was exported have the form that leads to the files of the
 * project in which they stand, `/uploads/<secret>/<name>` (ADR 79): these came in with their secrets. What stands before a
 * link is compared with the few places it may have, so that the time does not depend on how long an archive says these are.
 */
export function withOwnLinks(lines: Buffer, { projectId, fullPath, url }: ArchiveOrigin): Buffer {
  if (!lines.includes('/uploads/')) return lines;
  const places = [`/-/project/${projectId}`, `/${fullPath}`];
  const text = lines.toString();
  const kept: string[] = [];
  let from = 0;
  for (const { index } of text.matchAll(linkForm)) {
    const place = places.find((one) => text.endsWith(one, index));
    const start = place === undefined ? index : index - place.length;
    if (place === undefined || start < from) continue;
    const isHere = text.endsWith(url, start) && start - url.length >= from;
    if (!isHere && addressEnd.test(text.slice(Math.max(start - 1, 0), start))) continue;
    kept.push(text.slice(from, isHere ? start - url.length : start));
    from = index;
  }
  return Buffer.from(kept.join('') + text.slice(from));
}
