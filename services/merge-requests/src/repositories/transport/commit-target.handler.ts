import type { Viewer } from '@switchyard/directory';
import {
  type CommitTarget,
  type CommitTargetName,
  CommitTargetServiceService,
} from '@switchyard/protos/merge_requests/v1/commit_target';
import { implement, viewerOf } from '@switchyard/rpc';
import type { CodeReaders, ReadCommitsOf } from '../application/read-commits';
import { commitObject, repositoryUrl } from '../presenters/commit.presenter';
import { inParts, type ProcessesOf, serviceName } from './relay';

/** Commits answered at once (see the proto). */
const maxCommits = 100;

const caller = { callers: ['collaboration', serviceName], onBehalfOf: true };

/** What commits as targets are read with. */
export interface CommitTargetEdges {
  readonly commits: Pick<ReadCommitsOf, 'byIds'>;
  readonly readers: CodeReaders;
  readonly externalUrl: string;
  readonly processesOf: ProcessesOf | undefined;
}

const shasByProject = (names: readonly CommitTargetName[]): Map<number, string[]> => {
  const projects = new Map<number, string[]>();
  for (const { projectId, sha } of names) projects.set(projectId, [...(projects.get(projectId) ?? []), sha]);
  return projects;
};

/**
 * gRPC side of commits as targets of other services' rows: one statement, and one git process for each project among
 * them.
 */
export function commitTargetHandler({ commits, readers, externalUrl, processesOf }: CommitTargetEdges) {
  async function targetsOf(names: readonly CommitTargetName[], viewer: Viewer): Promise<CommitTarget[]> {
    const wanted = shasByProject(names);
    const readable = await readers(viewer, [...wanted.keys()]);
    const targets: CommitTarget[] = [];
    for (const { id: projectId, fullPath } of readable) {
      const address = { externalUrl, fullPath };
      for (const commit of await commits.byIds(projectId, wanted.get(projectId) ?? [])) {
        targets.push({
          projectId,
          sha: commit.id,
          json: Buffer.from(JSON.stringify(commitObject(commit, address))),
          webUrl: repositoryUrl(address, `commit/${commit.id}`),
          title: commit.title,
        });
      }
    }
    return targets;
  }

  return implement(
    CommitTargetServiceService,
    {
      async batchGet({ commits: names }, context) {
        const parts = await inParts(context, processesOf, names.slice(0, maxCommits), {
          projectOf: ({ projectId }) => projectId,
          here: (own) => targetsOf(own, viewerOf(context)),
          there: async (sibling, own) => {
            const { actor, requestId } = context;
            const identity = { actor, requestId, idempotent: true };
            return (await sibling.client(CommitTargetServiceService).batchGet({ commits: [...own] }, identity)).targets;
          },
          away: () => [],
        });
        return { targets: parts.flat() };
      },
    },
    { batchGet: caller },
  );
}
