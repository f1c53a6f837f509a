import { randomUUID } from 'node:crypto';
import type { BlobRemains, BlobStore } from '@switchyard/blobs';
import { AppError, invalidParams, isAppError, unauthorized, unavailable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import type { ImportAuthor, ImportedProject } from '../../project-imports';
import type { ArchiveForm } from '../domain/archive-form';
import type { ArchiveImportStore, ArchiveTargets } from './imports.ports';

faultPoints.push('archive_import.received', 'archive_import.added', 'archive_import.canceled');

/** Bytes after which a blob that is still being written is given another hour. */
const renewEvery = 256 << 20;

/** What an import is begun with. */
export interface StartingEdges {
  readonly imports: Pick<ArchiveImportStore, 'add' | 'remove' | 'begin' | 'release' | 'isOpen' | 'cancel'>;
  readonly targets: Pick<ArchiveTargets, 'createProject' | 'checkRecords' | 'setStatus' | 'project'>;
  readonly blobs: Pick<BlobStore, 'write'>;
  readonly remains: Pick<BlobRemains, 'expect' | 'renew' | 'discard'>;
  /** Starts the removal of blobs that are due. */
  readonly pruneSoon: () => void;
  /** Has the new import worked on soon. */
  readonly workSoon: () => void;
  /** Bytes of the largest archive. */
  readonly limit: number;
}

/** An archive that is sent. */
export interface SentArchive {
  readonly author: ImportAuthor;
  /** From which it is sent; empty where that is not known. */
  readonly address: string;
  readonly requestId: string;
  readonly content: AsyncIterable<Uint8Array>;
  /** The rest of the form, of which some may follow the file. Fails with `invalid_params`. */
  readonly form: Promise<ArchiveForm>;
}

/** Failures after which no project is there. */
const isRefusal = (error: unknown): boolean => isAppError(error, 'not_found', 'forbidden', 'invalid', 'unprocessable');

/** Builds the beginning of imports. */
export function startArchiveImports({ imports, targets, blobs, remains, pruneSoon, workSoon, limit }: StartingEdges) {
  /** Stores an archive as it comes. @returns its bytes */
  async function store(blob: string, content: AsyncIterable<Uint8Array>): Promise<number> {
    let size = 0;
    let renewedAt = 0;
    async function* measured(): AsyncGenerator<Uint8Array> {
      for await (const chunk of content) {
        size += chunk.length;
        if (size > limit) throw new AppError('too_large');
        if (size - renewedAt > renewEvery) {
          renewedAt = size;
          await remains.renew(blob);
        }
        yield chunk;
      }
    }
    await remains.expect(blob);
    try {
      await blobs.write(blob, measured());
    } catch (error) {
      throw isAppError(error) ? error : unavailable(error);
    }
    faultPoint('archive_import.received');
    if (size === 0) throw invalidParams('file is empty');
    return size;
  }

  /** Refuses settings that the project cannot have. */
  async function checkOverrides({ overrides }: ArchiveForm, requestId: string): Promise<void> {
    if (Object.keys(overrides).length === 0) return;
    const lines = Buffer.from(`${JSON.stringify(overrides)}\n`);
    const call = { project: undefined, requestId };
    await targets.checkRecords('groups-admin', 'project_overrides', lines, call).catch((error: unknown) => {
      throw isAppError(error, 'unprocessable') ? invalidParams(`override_params: ${error.body.message}`) : error;
    });
  }

  return {
    /**
     * Stores an archive and begins its import: the project is there afterwards.
     * @throws AppError invalid_params; too_large; not_found, forbidden for the namespace; invalid for what the project
     *   cannot be
     */
    async receive({ author, address, requestId, content, form }: SentArchive): Promise<ImportedProject> {
      if (author.userId === 0) throw unauthorized();
      const blob = `imports/${randomUUID()}`;
      let isKept = false;
      try {
        const size = await store(blob, content);
        const given = await form;
        await checkOverrides(given, requestId);
        const one = await imports.add({ ...given, key: randomUUID(), author, address, requestId, blob, size });
        if (one === undefined) throw unavailable(new Error('the blob of an import was pruned before it was kept'));
        isKept = true;
        faultPoint('archive_import.added');
        try {
          const project = await targets.createProject(one.import);
          await imports.begin(one, project.projectId);
          return project;
        } catch (error) {
          // Of any other failure it is not known what became of the project: the import goes on.
          if (isRefusal(error)) await imports.remove(one).then(pruneSoon);
          throw error;
        } finally {
          await imports.release(one, 0);
          workSoon();
        }
      } catch (error) {
        // If this fails too, the blob is pruned after an hour.
        if (!isKept) await remains.discard(blob).then(pruneSoon, () => undefined);
        throw error;
      }
    },

    /** Cancels the import of a project, which then shows it; undefined where none is under way. */
    async cancel(projectId: number, requestId: string): Promise<ImportedProject | undefined> {
      if (!(await imports.isOpen(projectId))) return undefined;
      // The project says it first: whoever takes the import sees it there.
      await targets.setStatus(projectId, 'canceled', undefined, requestId);
      faultPoint('archive_import.canceled');
      const project = await targets.project(projectId, requestId);
      // It ended meanwhile.
      if (project.importStatus !== 'canceled') return undefined;
      await imports.cancel(projectId);
      pruneSoon();
      return project;
    },
  };
}

/** What `startArchiveImports` gives. */
export type ArchiveImports = ReturnType<typeof startArchiveImports>;
