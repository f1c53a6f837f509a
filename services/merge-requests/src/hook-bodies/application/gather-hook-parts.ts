import type { HookFacts } from '../domain/hook-facts';
import type { HookFactEdges } from './gather-hook-facts';
import type { WantedCommits } from './hook-facts.ports';

/** A commit of a project. */
export interface WantedCommit {
  readonly projectId: number;
  readonly sha: string;
}

/** What the bodies of notes on merge requests and commits name, as it is now: a constant number of statements. */
export const gatherHookParts =
  ({ store, readCommits }: HookFactEdges) =>
  async (mergeRequestIds: readonly number[], commits: readonly WantedCommit[]): Promise<HookFacts> => {
    const mergeRequests = await store.mergeRequests([...new Set(mergeRequestIds)]);
    const views = [...mergeRequests.values()].map(({ view }) => view);
    const shas = new Map<number, Set<string>>();
    for (const { projectId, sha } of [
      ...commits,
      ...views.map(({ mergeRequest: mr }) => ({ projectId: mr.projectId, sha: mr.sourceSha ?? '' })),
    ]) {
      if (sha !== '') shas.set(projectId, (shas.get(projectId) ?? new Set()).add(sha));
    }
    const wanted = [...shas].map(
      ([projectId, own]): WantedCommits => ({ projectId, pushes: [], shas: [...own], tags: [] }),
    );
    const [users, projects, labels, read] = await Promise.all([
      store.users(views.flatMap(({ assigneeIds }) => assigneeIds)),
      store.projects([
        ...shas.keys(),
        ...views.flatMap(({ mergeRequest, sourceProjectId }) => [mergeRequest.projectId, sourceProjectId ?? 0]),
      ]),
      store.labels(views.flatMap((view) => view.labels.map(({ id }) => id))),
      readCommits(wanted),
    ]);
    return {
      users,
      projects,
      labels,
      mergeRequests,
      jobs: new Map(),
      protectedNames: new Map(),
      commits: new Map(read.map((one) => [one.projectId, one])),
    };
  };

/** What `gatherHookParts` gives. */
export type GatherHookParts = ReturnType<typeof gatherHookParts>;
