import { type Repeating, repeat } from '@switchyard/background';
import { type AppError, isAppError } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { LeaseLost, pauseAfter, workLeased } from '../../leases';
import type { PlaceholdersArea } from '../../placeholders';
import { archiveKinds } from '../../project-exports';
import { type ImportedProject, mayNotImport } from '../../project-imports';
import {
  type ArchiveImportLease,
  type ImportPlace,
  importStages,
  type LeftOut,
  maxAttempts,
  maxPauses,
} from '../domain/archive-import';
import { checkArchive } from './check-archive';
import type { ArchiveImportStore, ArchiveTargets } from './imports.ports';
import { archivePages, type ReadingEdges, readEntries } from './read-archive';

faultPoints.push(
  'archive_import.begun',
  'archive_import.checked',
  'archive_import.page_written',
  'archive_import.page_saved',
  'archive_import.repository_written',
  'archive_import.uploads_written',
  'archive_import.announced',
  'archive_import.ended',
);

/** What a process works on imports with. */
export interface WorkingEdges extends ReadingEdges {
  readonly imports: ArchiveImportStore;
  readonly targets: ArchiveTargets;
  /** Whether a user is active and has the role Maintainer in a project (G-4.19-9). */
  readonly mayImport: (project: ImportedProject, userId: number) => Promise<boolean>;
  readonly standInsOf: PlaceholdersArea['standInsOf'];
  /** Starts the removal of blobs that are due. */
  readonly pruneSoon: () => void;
}

const owners = new Map<string, (typeof archiveKinds)[number]['owner']>(
  archiveKinds.map(({ kind, owner }) => [kind, owner]),
);

/** What a step has done: where the import goes on, and what was left out. */
interface Done {
  readonly place: ImportPlace;
  readonly leftOut?: readonly LeftOut[] | undefined;
}

/** Failures that another try would not change. */
const isFinal = (error: unknown): error is AppError =>
  isAppError(error, 'invalid', 'invalid_params', 'bad_request', 'unprocessable', 'too_large', 'not_found', 'forbidden');

const textOf = (error: unknown): string | undefined => {
  if (!isFinal(error)) return undefined;
  if (error.kind === 'not_found') return 'The project or its namespace is not there any more';
  if (error.kind === 'too_large') return 'The archive is too large';
  const said = error.body.message ?? error.body.error;
  return typeof said === 'string' ? said : JSON.stringify(said);
};

/** Works on imports of archives that wait, page by page; each page may be repeated. */
export function workArchiveImports(edges: WorkingEdges): Repeating {
  const { imports, targets, mayImport, standInsOf, blobs, pruneSoon } = edges;

  const check = (one: ArchiveImportLease, project: ImportedProject, keepLease: () => Promise<void>): Promise<void> =>
    checkArchive(readEntries({ blobs }, one.import), one.import.size, async (kind, lines) => {
      await keepLease();
      const owner = owners.get(kind);
      const to = { project, requestId: one.import.requestId };
      if (owner !== undefined) await targets.checkRecords(owner, kind, lines, to);
    });

  /** Writes a page of records; for people for whom may not be written placeholders stand (ADR 67). */
  async function write(
    one: ArchiveImportLease,
    project: ImportedProject,
    { owner, kind }: Pick<(typeof archiveKinds)[number], 'owner' | 'kind'>,
    lines: Buffer,
    keepLease: () => Promise<void>,
  ): Promise<readonly LeftOut[]> {
    const { unknown, leftOut } = await targets.writeRecords(owner, kind, lines, { project, import: one.import });
    if (unknown.length === 0) return leftOut;
    const { projectId } = project;
    const { users, directorySequence } = await standInsOf(
      { owner: { id: one.id, isArchive: true }, projectId, requestId: one.import.requestId },
      unknown,
      keepLease,
    );
    const known = { ...project, directorySequence: Math.max(project.directorySequence, directorySequence) };
    return (await targets.writeRecords(owner, kind, lines, { project: known, import: one.import }, users)).leftOut;
  }

  /** Writes a page of records; where the import goes on. */
  async function records(
    one: ArchiveImportLease,
    project: ImportedProject,
    { stage, page }: ImportPlace,
    pages: ReturnType<typeof archivePages>,
    keepLease: () => Promise<void>,
  ): Promise<Done> {
    const what = importStages[stage];
    const next = { stage: stage + 1, page: 1 };
    if (what?.does !== 'records') return { place: next };
    const found = await pages.page(what.kind, page);
    const leftOut = found && (await write(one, project, what, found.lines, keepLease));
    const isLast = found === undefined || found.isLast;
    const { overrides } = one.import;
    if (what.kind === 'project' && isLast && Object.keys(overrides).length > 0) {
      const lines = Buffer.from(`${JSON.stringify(overrides)}\n`);
      await targets.writeRecords(what.owner, 'project_overrides', lines, { project, import: one.import });
    }
    faultPoint('archive_import.page_written');
    return { place: isLast ? next : { stage, page: page + 1 }, leftOut };
  }

  async function step(
    one: ArchiveImportLease,
    project: ImportedProject,
    place: ImportPlace,
    pages: ReturnType<typeof archivePages>,
    keepLease: () => Promise<void>,
    signal: AbortSignal,
  ): Promise<Done> {
    const next = { place: { stage: place.stage + 1, page: 1 } };
    switch (importStages[place.stage]?.does) {
      case 'check':
        await check(one, project, keepLease);
        faultPoint('archive_import.checked');
        return next;
      case 'repository':
        await targets.importRepository({ project, import: one.import }, signal);
        faultPoint('archive_import.repository_written');
        return next;
      case 'uploads': {
        const leftOut = await targets.importUploads({ project, import: one.import }, signal);
        faultPoint('archive_import.uploads_written');
        return { ...next, leftOut };
      }
      default:
        return records(one, project, place, pages, keepLease);
    }
  }

  /** A cancelled project ends its import, should the process that cancelled it have died on its way. */
  async function unlessCanceled(one: ArchiveImportLease, { importStatus }: ImportedProject): Promise<void> {
    if (importStatus !== 'canceled') return;
    await imports.end(one, 'canceled', undefined);
    pruneSoon();
    throw new LeaseLost();
  }

  async function carryOut(one: ArchiveImportLease, keepLease: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { requestId } = one.import;
    const made =
      one.projectId === undefined
        ? await targets.createProject(one.import)
        : await targets.project(one.projectId, requestId);
    await unlessCanceled(one, made);
    const { projectId } = made;
    if (!(await imports.begin(one, projectId))) throw new LeaseLost();
    await targets.setStatus(projectId, 'started', undefined, requestId);
    faultPoint('archive_import.begun');
    const pages = archivePages({ blobs }, one.import);
    try {
      let project = made;
      for (let place = one.place; place.stage < importStages.length; ) {
        await keepLease();
        // Again for each stage and try: what one has written the next one has to find (D5), and the project, or the right
        // to import, may be gone.
        if (place.page === 1 || place === one.place) {
          project = await targets.project(projectId, requestId);
          await unlessCanceled(one, project);
          if (!(await mayImport(project, one.import.author.userId))) throw mayNotImport();
        }
        const does = importStages[place.stage];
        const { place: next, leftOut: items = [] } = await step(one, project, place, pages, keepLease, signal);
        const stage = does?.does === 'records' ? does.kind : (does?.does ?? '');
        if (!(await imports.save(one, next, { stage, items }))) throw new LeaseLost();
        place = next;
        // It got on: failures in a row are counted from here, as in its row.
        Object.assign(one, { attempt: 1, pauses: 0 });
        faultPoint('archive_import.page_saved');
      }
    } finally {
      await pages.close();
    }
  }

  return workLeased<ArchiveImportLease, void>({
    name: 'imports of archives',
    maxAttempts,
    leases: imports,
    otherwise: 'The import failed',
    judge(error, { attempt, pauses }) {
      const isPause = isAppError(error, 'unavailable', 'rate_limited') && pauses < maxPauses;
      const pause = pauseAfter(isPause ? pauses + 1 : attempt);
      return { isFinal: isFinal(error), text: textOf(error), pause, isPause };
    },
    make: carryOut,
    async end(one, outcome) {
      // One that was cancelled is shown as that.
      if (!(await imports.extend(one))) return;
      const problem = 'problem' in outcome ? outcome.problem : undefined;
      const status = problem === undefined ? 'finished' : 'failed';
      const projectId = await imports.projectOf(one.id);
      // Before the row: it ends once groups-admin knows.
      if (projectId !== undefined) await targets.setStatus(projectId, status, problem, one.import.requestId);
      faultPoint('archive_import.announced');
      await imports.end(one, status, problem);
      faultPoint('archive_import.ended');
      pruneSoon();
    },
  });
}

/** Milliseconds between two removals. */
const sweepEvery = 3_600_000;

/** Removes imports that ended a week ago, now and every hour. */
export const sweepArchiveImports = (imports: Pick<ArchiveImportStore, 'sweep'>): Repeating =>
  repeat('imports of archives that are over', sweepEvery, () => imports.sweep());
