import { repeat } from '@switchyard/background';
import type { Area } from '@switchyard/service';
import type { Edges } from '../edges';
import type { JobHandlers, JobRequests } from '../jobs';
import { measureRepository } from './application/measure-repository';
import { repositorySizeStore } from './storage/repository-size.store';

/** Milliseconds between two searches for repositories that are to be measured. */
const sweepIntervalMs = 5_000;

/** Sizes of repositories, and the job that measures one. */
export interface RepositorySizes extends Area {
  readonly jobHandlers: Pick<JobHandlers, 'repository_size'>;
}

/** Measures repositories some seconds after pushes and landings, and once a day, and has those packed that need it. */
export function composeRepositorySizes(
  { db, observe }: Pick<Edges, 'db' | 'observe'>,
  { repositoryOf }: Pick<Parameters<typeof measureRepository>[0], 'repositoryOf'>,
  requests: JobRequests,
): RepositorySizes {
  const sizes = repositorySizeStore(db);
  const pack = (projectId: number) => requests.enqueue([{ kind: 'pack_repository', projectId }]);
  const jobs = observe('merge_requests.repository_sizes', {
    measure: measureRepository({ sizes, repositoryOf, pack }),
  });
  return {
    jobHandlers: { repository_size: ({ projectId }) => jobs.measure(projectId) },
    start: () => [repeat('sizes of repositories', sweepIntervalMs, () => sizes.enqueueDue())],
  };
}
