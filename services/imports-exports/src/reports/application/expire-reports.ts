import { randomUUID } from 'node:crypto';
import { repeat } from '@switchyard/background';
import { isAppError } from '@switchyard/errors';
import { logger } from '@switchyard/telemetry';
import type { ReportStore, ReportTargets } from './reports.ports';

/** Milliseconds between two runs: what goes by days need not go at once. */
const interval = 3_600_000;

/** Pipelines of one statement; each has at most 100 reports. */
const batch = 50;

/** What reports expire with. */
export interface ExpiryEdges {
  readonly reports: Pick<ReportStore, 'oldPipelines' | 'removeOld'>;
  readonly targets: Pick<ReportTargets, 'newest'>;
  /** Days for which reports are kept after the last one of their pipeline came. */
  readonly days: number;
  /** Starts the removal of blobs that are due. */
  readonly pruneSoon: () => void;
}

/**
 * Removes old reports, now and every hour. Those of the newest pipelines of branches and tags stay: lists of projects and
 * groups, and of what was released, are made of them.
 */
export const expireReports = ({ reports, targets, days, pruneSoon }: ExpiryEdges) =>
  repeat('reports that are old', interval, async (stopping) => {
    const requestId = `reports-${randomUUID()}`;
    /**
     * Those of pipelines that stay: all where the project is gone, whose reports go otherwise, and where its storage is away.
     */
    const kept = (projectId: number, pipelineIds: readonly number[]): Promise<readonly number[]> =>
      targets.newest(projectId, pipelineIds, requestId).catch((error: unknown) => {
        if (!isAppError(error, 'not_found', 'unavailable')) throw error;
        if (error.kind === 'unavailable') logger.warn({ err: error, project: projectId }, 'old reports wait');
        return pipelineIds;
      });
    let after = { projectId: 0, pipelineId: 0 };
    while (!stopping.aborted) {
      const old = await reports.oldPipelines(days, after, batch);
      const byProject = new Map<number, number[]>();
      for (const { projectId, pipelineId } of old)
        byProject.set(projectId, [...(byProject.get(projectId) ?? []), pipelineId]);
      for (const [projectId, ids] of byProject) {
        const stay = new Set(await kept(projectId, ids));
        const gone = ids.filter((id) => !stay.has(id));
        if (gone.length > 0 && (await reports.removeOld(days, projectId, gone)) > 0) pruneSoon();
      }
      after = old.at(-1) ?? after;
      if (old.length < batch) return;
    }
  });
