import { type Repeating, repeat } from '@switchyard/background';
import { type AppError, isAppError } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { logger } from '@switchyard/telemetry';
import { ForgeProblem } from '../../forges';
import { LeaseLost, pauseAfter } from '../../leases';
import type { ImportLease } from '../domain/import-work';
import {
  hasEnded,
  type ImportStage,
  type ImportStatus,
  maxFailures,
  maxPages,
  maxPause,
  maxTries,
  mayNotImport,
  stageHours,
} from '../domain/project-import';
import type { ImportedProject } from '../domain/shown-import';
import { withFiles } from './bring-files';
import type { Forges, ImportFiles, ImportPeople, ImportStore, ImportTargets, StageContext } from './imports.ports';
import { stages } from './stages';

faultPoints.push(
  'project_import.project_made',
  'project_import.started',
  'project_import.refresh_announced',
  'project_import.page_written',
  'project_import.page_saved',
  'project_import.stage_done',
  'project_import.ended',
  'project_import.announced',
);

/** Milliseconds between two looks for imports that wait, or that another process left behind; a new one is begun at once. */
const interval = 1_000;

/** Where nothing has been found for a minute, twice the length of a lease, one look in five is enough. */
const livelyMs = 60_000;
const quietLook = 5;

/** Milliseconds between two extensions of a lease: a sixth of it. */
const extendEvery = 5_000;

/** Imports that a process works on at a time: most of their time they wait for a forge. */
const atOnce = 3;

/** What a process works on imports with. */
export interface WorkingEdges {
  readonly imports: ImportStore;
  readonly forges: Forges;
  readonly targets: ImportTargets;
  readonly people: ImportPeople;
  readonly files: ImportFiles;
}

/** Failures of other services that another try would not change. */
const isFinal = (error: unknown): error is AppError =>
  isAppError(error, 'invalid', 'unprocessable', 'too_large', 'not_found', 'forbidden');

const textOf = (error: unknown): string => {
  if (error instanceof ForgeProblem) return error.message;
  if (!isFinal(error)) return 'The import failed';
  if (error.kind === 'not_found') return 'The project or its namespace is not there any more';
  const { message } = error.body;
  return typeof message === 'string' ? message : JSON.stringify(message);
};

/** Works on imports that wait, stage by stage and page by page; each page may be repeated. */
export function workImports({ imports, forges, targets, people, files }: WorkingEdges): Repeating {
  const owned = async (kept: Promise<boolean>): Promise<void> => {
    if (!(await kept)) throw new LeaseLost();
  };

  async function projectOf(one: ImportLease): Promise<ImportedProject> {
    const { projectId, requestId } = one.import;
    if (projectId !== undefined) return targets.project(projectId, requestId);
    const made = await targets.createProject(one.import, requestId);
    await owned(imports.setProject(one, made.projectId));
    return made;
  }

  async function begin(one: ImportLease, { projectId }: ImportedProject): Promise<void> {
    // To groups-admin an import that has ended stays so until it is scheduled again.
    if (one.import.refreshes > 0) {
      await targets.setStatus(projectId, 'scheduled', undefined, one.import.requestId);
      faultPoint('project_import.refresh_announced');
    }
    if (await imports.setStatus(one, 'started')) return;
    // It was cancelled before groups-admin was notified that it is scheduled: that has to come last.
    await imports.announceAgain(one.import.id);
    throw new LeaseLost();
  }

  async function runStage(
    one: ImportLease,
    stage: ImportStage,
    context: StageContext,
    gotOn: () => void,
  ): Promise<void> {
    let { page, cursor, fetched, imported } = stage;
    for (;;) {
      context.signal.throwIfAborted();
      const written = await stages[stage.name](context, page, cursor);
      faultPoint('project_import.page_written');
      const isAtSame = written.cursor !== undefined && written.cursor === cursor;
      if (isAtSame || (written.next !== undefined && written.next <= page))
        throw new ForgeProblem('refused', 'The pages of the forge do not go on one after the other');
      const isNumbered = written.next === undefined;
      page = written.next ?? page + 1;
      cursor = written.cursor ?? '';
      fetched += written.fetched;
      imported += written.imported;
      const isDone = written.isLast;
      if (!isDone && isNumbered && page > maxPages)
        throw new ForgeProblem('refused', `The forge has more than ${maxPages} pages`);
      const { pages, failed, known } = written;
      const progress = { page, cursor, fetched, imported, isDone, pages, failed, known };
      const saved = await imports.saveStage(one, stage.name, progress, stageHours);
      if (saved === undefined) throw new LeaseLost();
      gotOn();
      faultPoint('project_import.page_saved');
      // A late one is decided on where stages begin.
      if (isDone || saved.late) return;
    }
  }

  /** Does what is left of an import. */
  async function carryOut(
    one: ImportLease,
    signal: AbortSignal,
    progress: { readonly pauses: () => number; readonly gotOn: () => void },
  ): Promise<void> {
    const project = await projectOf(one);
    faultPoint('project_import.project_made');
    if (one.import.status === 'scheduled') await begin(one, project);
    // Each time: a process may have died between the two. Where the project shows another end, groups-admin keeps it.
    await targets.setStatus(project.projectId, 'started', undefined, one.import.requestId);
    faultPoint('project_import.started');
    const named = new Set<string>();
    const opened = forges.open(one.import, one.token ?? '', signal);
    for (;;) {
      // Again for each stage: what one has written the next one has to find (D5), and the project may be gone.
      const current = await targets.project(project.projectId, one.import.requestId);
      if (!(await people.mayImport(current, one.import.author.userId))) throw mayNotImport();
      const stage = await imports.beginStage(one, stageHours);
      if (stage === undefined) return;
      const { since, known } = stage;
      const { pauses, gotOn } = progress;
      const forge = one.import.files
        ? withFiles(opened, { files, targets, import: one.import, project: current, pauses, named, signal })
        : opened;
      const context = { import: one.import, project: current, forge, targets, people, since, known, signal };
      if (!stage.late) {
        await runStage(one, stage, context, gotOn);
      } else if (one.import.optimistic) {
        logger.warn({ import: one.import.id, stage: stage.name }, 'a stage of an import took too long and is left out');
        const failed = [{ item: 'the rest', reason: `The stage took more than ${stageHours} hours` }];
        const { name, page, cursor, fetched, imported } = stage;
        const left = { page, cursor, fetched, imported, isDone: true, isLeftOut: true, failed };
        const saved = await imports.saveStage(one, name, left, stageHours);
        if (saved === undefined) throw new LeaseLost();
      } else {
        throw new ForgeProblem('refused', `The stage ${stage.name} took more than ${stageHours} hours`);
      }
      faultPoint('project_import.stage_done');
    }
  }

  /** Ends an import, or gives it back to be tried again. */
  async function settle(one: ImportLease, error: unknown): Promise<void> {
    const { id } = one.import;
    if (error instanceof LeaseLost) return imports.release(one, 0, 'stopped');
    if (error !== undefined) {
      logger.warn({ err: error, import: id, attempt: one.attempt }, 'an import did not get on');
      const isLater =
        error instanceof ForgeProblem ? error.kind === 'later' : isAppError(error, 'unavailable', 'rate_limited');
      if (isLater) {
        const asked = error instanceof ForgeProblem ? error.seconds : isAppError(error) ? error.retryAfter : undefined;
        return imports.release(one, Math.min(maxPause, Math.max(asked ?? 0, pauseAfter(one.pauses + 1))), 'paused');
      }
      if (!(error instanceof ForgeProblem) && !isFinal(error) && one.attempt < maxFailures)
        return imports.release(one, pauseAfter(one.attempt), 'failed');
    }
    const status: ImportStatus = error === undefined ? 'finished' : 'failed';
    const problem = error === undefined ? undefined : textOf(error);
    if (!(await imports.setStatus(one, status, problem))) return;
    faultPoint('project_import.ended');
    await announce({ ...one, import: { ...one.import, status, problem } });
  }

  /** Notifies groups-admin how an import has ended. */
  async function announce(one: ImportLease): Promise<void> {
    const { id, projectId, status, problem, requestId } = one.import;
    try {
      if (projectId !== undefined) await targets.setStatus(projectId, status, problem, requestId);
      await imports.setAnnounced(id, status);
      faultPoint('project_import.announced');
      await imports.release(one, 0, 'stopped');
    } catch (error) {
      logger.warn({ err: error, import: id }, 'the end of an import is announced later');
      await imports.release(one, pauseAfter(one.attempt), 'failed');
    }
  }

  async function workOn(one: ImportLease, stopping: AbortSignal): Promise<void> {
    if (hasEnded(one.import.status)) return announce(one);
    const lost = new AbortController();
    const timer = setInterval(() => {
      imports.extend(one).then(
        (kept) => kept || lost.abort(new LeaseLost()),
        (error: unknown) => logger.warn({ err: error, import: one.import.id }, 'a lease was not extended'),
      );
    }, extendEvery);
    const onStop = (): void => lost.abort(new LeaseLost());
    stopping.addEventListener('abort', onStop, { once: true });
    let failure: unknown;
    let tries = { attempt: one.attempt, pauses: one.pauses };
    try {
      if (one.attempt > maxTries) throw new Error('an import was begun too often without getting on');
      await carryOut(one, lost.signal, {
        pauses: () => tries.pauses,
        gotOn: () => {
          tries = { attempt: 1, pauses: 0 };
        },
      });
    } catch (error) {
      failure = lost.signal.aborted ? new LeaseLost() : error;
    } finally {
      clearInterval(timer);
      stopping.removeEventListener('abort', onStop);
    }
    // A project that the work has made is the import's from now on.
    const projectId = one.import.projectId ?? (await imports.projectOf(one.import.id));
    await settle({ ...one, ...tries, import: { ...one.import, projectId } }, failure);
  }

  const running = new Set<Promise<void>>();
  let livelyUntil = Date.now() + livelyMs;
  let looks = 0;
  const looking = repeat('project imports', interval, async (stopping) => {
    looks += 1;
    if (Date.now() > livelyUntil && looks % quietLook > 0) return;
    while (!stopping.aborted && running.size < atOnce) {
      const one = await imports.claim();
      if (one === undefined) return;
      livelyUntil = Date.now() + livelyMs;
      const work = workOn(one, stopping)
        .catch((error: unknown) => logger.error({ err: error, import: one.import.id }, 'an import was not settled'))
        .finally(() => {
          running.delete(work);
          lookSoon();
        });
      running.add(work);
    }
  });
  const lookSoon = (): void => {
    livelyUntil = Date.now() + livelyMs;
    looking.soon();
  };
  return {
    soon: lookSoon,
    async close() {
      await looking.close();
      await Promise.all(running);
    },
  };
}
