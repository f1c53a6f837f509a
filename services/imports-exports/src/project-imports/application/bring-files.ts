import { faultPoint, faultPoints } from '@switchyard/events';
import { type Forge, type ForgeFile, type ForgePage, ForgeProblem } from '../../forges';
import { type BroughtFile, type ForeignFile, linksIn, relinked } from '../domain/linked-files';
import { type FailedItem, maxFiles, type ProjectImport } from '../domain/project-import';
import type { ImportedProject } from '../domain/shown-import';
import type { ImportFiles, ImportTargets } from './imports.ports';

faultPoints.push('project_import.file_brought');

/** Files that are fetched for a page at a time. */
const atOnce = 4;

/** Pauses in a row after which a file that the forge does not give is left out: a minute or so. */
const maxPausesForFile = 5;

/** What files are brought over with. */
export interface FileEdges {
  readonly files: ImportFiles;
  readonly targets: Pick<ImportTargets, 'importFile'>;
  readonly import: ProjectImport;
  readonly project: ImportedProject;
  /** Pauses of the import since it last got on. */
  readonly pauses: () => number;
  /** Links of files that were named as not to be had since the import was taken up. */
  readonly named: Set<string>;
  /** Ends what is under way. */
  readonly signal: AbortSignal;
}

/** Links of a page that lead to files, with what is known of them afterwards. */
interface Outcome {
  readonly files: ReadonlyMap<string, BroughtFile>;
  readonly failed: readonly FailedItem[];
}

/** Fetches files that are not known, some at a time, until one wants a pause. */
async function fetchFiles(
  { files, targets, import: one, project, pauses, signal }: FileEdges,
  wanted: readonly (readonly [link: string, file: ForgeFile])[],
): Promise<Map<string, ForeignFile>> {
  const found = new Map<string, ForeignFile>();
  const rest = [...wanted];
  let pause: ForgeProblem | undefined;
  async function work(): Promise<void> {
    for (let next = rest.shift(); next !== undefined && pause === undefined; next = rest.shift()) {
      signal.throwIfAborted();
      const [link, file] = next;
      const call = { requestId: one.requestId, signal };
      const outcome = await targets.importFile(project, { ...file, source: link, uploaderId: one.author.userId }, call);
      if ('reason' in outcome && outcome.mayPass && pauses() < maxPausesForFile) {
        pause = new ForgeProblem('later', outcome.reason, outcome.retryAfter || undefined);
        return;
      }
      faultPoint('project_import.file_brought');
      await files.record(one.id, link, outcome);
      found.set(link, outcome);
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work));
  if (pause !== undefined) throw pause;
  return found;
}

/** Brings files over; one that is here, or known not to be had, is not fetched again. */
async function bringFiles(edges: FileEdges, wanted: ReadonlyMap<string, ForgeFile>): Promise<Outcome> {
  const { known, total } = await edges.files.known(edges.import.id, [...wanted.keys()]);
  const fresh = [...wanted].filter(([link]) => !known.has(link));
  const taken = fresh.slice(0, Math.max(0, maxFiles - total));
  const fetched = await fetchFiles(edges, taken);
  const files = new Map<string, BroughtFile>();
  const failed: FailedItem[] = fresh
    .slice(taken.length)
    .map(([item]) => ({ item, reason: `The texts link to more than ${maxFiles} files` }));
  for (const [link, file] of [...known, ...fetched]) {
    if (!('reason' in file)) files.set(link, file);
    else if (!edges.named.has(link)) failed.push({ item: link, reason: file.reason });
    if ('reason' in file) edges.named.add(link);
  }
  return { files, failed };
}

/**
 * The same forge, whose texts lead to files that have come over. A file that cannot be had keeps its link and is named. Each
 * page may be read again: a file comes over once.
 */
export function withFiles(forge: Forge, edges: FileEdges): Forge {
  const { repository } = edges.import;
  const inTexts = async <T, K extends keyof T>(page: ForgePage<T>, field: K): Promise<ForgePage<T>> => {
    const texts = page.items.map((item) => String(item[field]));
    const wanted = new Map<string, ForgeFile>();
    for (const link of linksIn(texts)) {
      const file = forge.fileOf(repository, link);
      if (file !== undefined) wanted.set(link, file);
    }
    if (wanted.size === 0) return page;
    const { files, failed } = await bringFiles(edges, wanted);
    const items = page.items.map((item, at) => ({ ...item, [field]: relinked(texts[at] ?? '', files) }));
    return { ...page, items, failed: [...(page.failed ?? []), ...failed] };
  };
  return {
    ...forge,
    issues: async (...of) => inTexts(await forge.issues(...of), 'description'),
    issueNotes: async (...of) => inTexts(await forge.issueNotes(...of), 'body'),
    pulls: async (...of) => inTexts(await forge.pulls(...of), 'description'),
    pullNotes: async (...of) => inTexts(await forge.pullNotes(...of), 'body'),
    reviews: async (...of) => inTexts(await forge.reviews(...of), 'body'),
    releases: async (...of) => inTexts(await forge.releases(...of), 'description'),
  };
}
