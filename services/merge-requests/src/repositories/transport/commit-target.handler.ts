import {
  type CommitTarget,
  type CommitTargetName,
  CommitTargetServiceService,
} from '@switchyard/protos/merge_requests/v1/commit_target';
import { implement, viewerOf } from '@switchyard/rpc';
import type { CodeReaders, ReadCommitsOf } from '../application/read-commits';
import { commitObject, repositoryUrl } from '../presenters/commit.presenter';

/** Commits answered at once (see the proto). */
const maxCommits = 100;

const caller = { callers: ['collaboration'], onBehalfOf: true };

/** What commits as targets are read with. */
export interface CommitTargetEdges {
  readonly commits: Pick<ReadCommitsOf, 'byIds'>;
  readonly readers: CodeReaders;
  readonly externalUrl: string;
}

const shasByProject = (names: readonly CommitTargetName[]): Map<number, string[]> => {
  const projects = new Map<number, string[]>();
  for (const { projectId, sha } of names.slice(0, maxCommits))
    projects.set(projectId, [...(projects.get(projectId) ?? []), sha]);
  return projects;
};

/**
 * gRPC side of commits as targets of other services' rows: one statement, and one git process for each project among
 * them.
 */
export function commitTargetHandler({ commits, readers, externalUrl }: CommitTargetEdges) {
  return implement(
    CommitTargetServiceService,
    {
      async batchGet({ commits: names }, context) {
        const wanted = shasByProject(names);
        const readable = await readers(viewerOf(context), [...wanted.keys()]);
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
        return { targets };
      },
    },
    { batchGet: caller },
  );
}
