import { AppError, forbidden, notFound, tooManyRequests, unprocessable } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import type {
  DependencyListExport,
  ExportFile,
  ExportForm,
  ExportTarget,
  PipelineCommit,
} from '../domain/dependency-list-export';
import type { ExportStore, PipelineSources } from './exports.ports';

faultPoints.push('dependency_export.created');

/** Seconds after which one who has too many exports may try again. */
const retryAfter = 30;

/** What the use cases work with. */
export interface ExportEdges {
  readonly exports: ExportStore;
  readonly sources: Pick<PipelineSources, 'pipeline' | 'latest'>;
  /** Has the new export made soon. */
  readonly workSoon: () => void;
}

/** The use cases of exports; the gateway has checked that the caller may read the list. */
export function manageExports({ exports, sources, workSoon }: ExportEdges) {
  async function pipelineOf(target: ExportTarget, requestId: string): Promise<PipelineCommit | undefined> {
    if (target.kind === 'group') return undefined;
    if (target.kind === 'pipeline') return sources.pipeline(target.projectId, target.pipelineId, requestId);
    const [latest] = await sources.latest([target.projectId], requestId);
    if (latest === undefined) throw unprocessable(['The default branch has no pipeline']);
    return latest;
  }

  const mine = async (id: number, userId: number): Promise<DependencyListExport> => {
    const found = await exports.find(id);
    if (found === undefined) throw new AppError('not_found');
    if (found.authorId !== userId) throw forbidden();
    return found;
  };

  return {
    /** Begins an export. */
    async create(
      target: ExportTarget,
      form: ExportForm,
      authorId: number,
      requestId: string,
    ): Promise<DependencyListExport> {
      const fullPath = await exports.fullPathOf(target);
      if (fullPath === undefined) throw notFound(target.kind === 'group' ? 'Group' : 'Project');
      const targetId = target.kind === 'group' ? target.groupId : target.projectId;
      const pipeline = await pipelineOf(target, requestId);
      const added = await exports.add({ ...form, kind: target.kind, targetId, authorId, fullPath, pipeline });
      if (added === undefined) throw tooManyRequests(retryAfter);
      faultPoint('dependency_export.created');
      workSoon();
      return added;
    },

    /** An export of the caller. Fails with `not_found`, and with `forbidden` for that of another (G-4.14-3). */
    get: mine,

    /** The file of a finished export of the caller. Fails as `get`, and with `not_found` before (G-4.14-4). */
    async file(
      id: number,
      userId: number,
    ): Promise<{ readonly export: DependencyListExport; readonly file: ExportFile }> {
      const found = await mine(id, userId);
      if (found.file === undefined) throw new AppError('not_found', '404 DependencyListExport Not Found');
      return { export: found, file: found.file };
    },
  };
}

/** What `manageExports` gives. */
export type Exports = ReturnType<typeof manageExports>;
