import type { Tx } from '@switchyard/database';
import { appendToOutbox, dependencyListExportEvents } from '@switchyard/events';
import type { DependencyListExport } from '../domain/dependency-list-export';

/** Appends that an export has ended. @param downloadUrl address of its file */
export const recordEnd = (tx: Tx, ended: DependencyListExport, downloadUrl: string): Promise<void> => {
  const { id, kind, targetId, authorId, fullPath, pipeline, problem, expiresAt } = ended;
  return appendToOutbox(
    tx,
    dependencyListExportEvents,
    {
      exportId: id,
      authorId,
      projectId: kind === 'group' ? 0 : targetId,
      groupId: kind === 'group' ? targetId : 0,
      fullPath,
      pipelineId: kind === 'pipeline' ? (pipeline?.pipelineId ?? 0) : 0,
      problem: problem ?? '',
      downloadUrl,
      expiresAt,
      occurredAt: new Date(),
    },
    { id: `dependency_list_export.ended:${id}:1` },
  );
};
