import { unprocessable } from '@switchyard/errors';
import { archiveFormat, archiveKinds } from '../../project-exports';

/** Bytes of an entry: what services send each other at the most, less what stands around it. */
export const maxEntry = 60 << 20;

/** An entry by its name. */
export type EntryPlace =
  | { readonly part: 'format' | 'end' }
  | { readonly part: 'records'; readonly kind: string; readonly page: number }
  /** Of a file that texts link to the record has an odd page, and its content the even one that follows. */
  | { readonly part: 'repository' | 'wiki' | 'uploads'; readonly page: number };

/** Whether it is the record of a file, whose content follows. */
export const isUploadRecord = (place: EntryPlace): boolean => place.part === 'uploads' && place.page % 2 === 1;

/** What is wrong with an archive, for who imports it. */
export const badArchive = (problem: string) => unprocessable(`The archive is not one of a project: ${problem}`);

/** Characters of a name that is quoted. */
const quoted = (name: string): string => JSON.stringify(name.slice(0, 100));

/** @throws AppError unprocessable for a name that no entry has */
export function placeOf(name: string): EntryPlace {
  if (name === 'format.json') return { part: 'format' };
  if (name === 'end.json') return { part: 'end' };
  const [, kind, page] = /^records\/([a-z_]{1,50})\/(\d{6,9})\.ndjson$/.exec(name) ?? [];
  if (kind !== undefined) return { part: 'records', kind, page: Number(page) };
  const [, of, part] = /^(repository|wiki)\.bundle\/(\d{6,9})$/.exec(name) ?? [];
  if (part !== undefined) return { part: of === 'wiki' ? 'wiki' : 'repository', page: Number(part) };
  const [, upload, what] = /^uploads\/(\d{6,9})\/(record\.json|content)$/.exec(name) ?? [];
  if (upload !== undefined) return { part: 'uploads', page: 2 * Number(upload) - (what === 'content' ? 0 : 1) };
  throw badArchive(`it has the entry ${quoted(name)}`);
}

const parts: readonly EntryPlace['part'][] = ['format', 'records', 'repository', 'wiki', 'uploads', 'end'];
const kindOrder: ReadonlyMap<string, number> = new Map(archiveKinds.map(({ kind }, at) => [kind, at]));

/** Whether a page of a known kind does not follow an entry, in an archive that is in order. */
export function isPast(place: EntryPlace, kind: string, page: number): boolean {
  if (place.part !== 'records') return place.part !== 'format';
  if (place.kind === kind) return place.page >= page;
  return (kindOrder.get(place.kind) ?? -1) > (kindOrder.get(kind) ?? kindOrder.size);
}

/** Holds the order of entries (ADR 60): each once, pages one after the other, kinds in the order in which they come in. */
export function entryOrder() {
  let before: EntryPlace | undefined;
  const kinds = new Set<string>();
  let lastKind = -1;

  const pageBefore = (place: EntryPlace): number => {
    if (before?.part !== place.part || !('page' in before)) return 0;
    return 'kind' in before && 'kind' in place && before.kind !== place.kind ? 0 : before.page;
  };

  return {
    /** @throws AppError unprocessable for an entry that cannot follow those before it */
    next(place: EntryPlace): void {
      const wrong = () => badArchive('its entries are not in order');
      const ranks = [before === undefined ? -1 : parts.indexOf(before.part), parts.indexOf(place.part)] as const;
      if (ranks[1] < ranks[0] || (before === undefined && place.part !== 'format')) throw wrong();
      if (!('page' in place)) {
        if (ranks[0] === ranks[1]) throw wrong();
      } else {
        if (place.page !== pageBefore(place) + 1) throw wrong();
        if ('kind' in place && place.page === 1) {
          const rank = kindOrder.get(place.kind) ?? lastKind;
          if (kinds.has(place.kind) || rank < lastKind) throw wrong();
          kinds.add(place.kind);
          lastKind = rank;
        }
      }
      before = place;
    },
  };
}

/** The object that an entry holds; undefined for none. */
export const parsed = (content: Uint8Array): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(Buffer.from(content).toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};

/** @throws AppError unprocessable for a format of a later release, and for none */
export function checkFormat(content: Uint8Array): void {
  const format = parsed(content)?.format;
  if (typeof format !== 'number' || !Number.isInteger(format) || format < 1) throw badArchive('it names no format');
  if (format > archiveFormat)
    throw badArchive(`its format is ${format}, and this installation reads up to ${archiveFormat}`);
}

/** What an archive has, beside its records. */
export interface ArchiveParts {
  /** Parts of the bundle of the repository. */
  readonly repository: number;
  /** The same of the wiki. */
  readonly wiki: number;
  /** Entries of files that texts link to. */
  readonly uploadEntries: number;
}

/** Requires what the end of an archive says to be what it has. @throws AppError unprocessable */
export function checkEnd(
  content: Uint8Array,
  records: ReadonlyMap<string, number>,
  { repository, wiki, uploadEntries }: ArchiveParts,
): void {
  const end = parsed(content);
  const said = end?.records;
  if (typeof said !== 'object' || said === null) throw badArchive('its end says nothing of its records');
  const counts = new Map(Object.entries(said as Record<string, unknown>));
  const isWhole =
    end?.repository_parts === repository &&
    // Formats 1 and 2 have neither wikis nor files, and do not say so.
    (end.wiki_parts ?? 0) === wiki &&
    2 * Number(end.uploads ?? 0) === uploadEntries &&
    [...new Set([...counts.keys(), ...records.keys()])].every(
      (kind) => (counts.get(kind) ?? 0) === (records.get(kind) ?? 0),
    );
  if (!isWhole) throw badArchive('its end does not say what it has');
}
