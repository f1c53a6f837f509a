import { forbidden, invalid } from '@switchyard/errors';
import type { Caller } from '../../callers';
import { type Commit, type Repository, readCommits, resolveRevision, type Sha } from '../../git';
import { type ContextCommit, mostContextCommits } from '../domain/context-commit';
import { type MergeRequestView, mayUpdate } from '../domain/merge-request-view';
import type { MergeRequestEdges } from './merge-request.edges';
import type { CutPage } from './read-merge-request';
import { viewOf } from './view-of';

/** Commits of one request (G-4.2-1). */
const mostAtOnce = 20;

const notValid = () => invalid("One or more context commits' sha is not valid.");

type Key = { projectId: number; iid: number };

/** Where they are kept; see storage/context-commit.store.ts. */
export interface ContextCommitEdges extends Pick<MergeRequestEdges, 'mergeRequests' | 'openRepository'> {
  readonly contextCommits: {
    list(
      mergeRequestId: number,
      page: { readonly offset: number; readonly limit: number },
    ): Promise<{ shas: string[]; total: number }>;
    add(mergeRequestId: number, commits: readonly ContextCommit[], most: number): Promise<boolean>;
    remove(mergeRequestId: number, shas: readonly string[]): Promise<number>;
  };
}

/** Commits that a merge request shows beside its own: list, add, take away. */
export function contextCommitsOf(edges: ContextCommitEdges) {
  const { contextCommits } = edges;

  async function found(key: Key): Promise<{ view: MergeRequestView; repo: Repository }> {
    const view = await viewOf(edges, key);
    return { view, repo: (await edges.openRepository(key.projectId)).repo };
  }

  async function updatable(caller: Caller, key: Key) {
    const both = await found(key);
    if (!mayUpdate(caller, both.view)) throw forbidden();
    return both;
  }

  return {
    /** A page, the newest commit first. One that the repository has lost is left out. */
    async list(
      key: Key,
      page: { offset: number; limit: number },
    ): Promise<CutPage<Commit> & { view: MergeRequestView }> {
      const { view, repo } = await found(key);
      const { shas, total } = await contextCommits.list(view.mergeRequest.id, page);
      return { view, items: await readCommits(repo, shas as Sha[]), total };
    },

    /**
     * Adds commits by sha, also shortened ones, and returns them. @throws AppError forbidden to who may not update the
     * merge request; invalid for more than 20 of them, or 500 in all, and for what is no commit
     */
    async add(
      caller: Caller,
      key: Key,
      named: readonly string[],
    ): Promise<{ view: MergeRequestView; commits: Commit[] }> {
      const { view, repo } = await updatable(caller, key);
      if (named.length > mostAtOnce) {
        throw invalid(`Context commits array size should not be more than ${mostAtOnce}`);
      }
      const revisions = await Promise.all(named.map((text) => resolveRevision(repo, text)));
      const shas = revisions.flatMap((revision) => (revision?.kind === 'commit' ? revision.sha : []));
      if (shas.length < named.length || shas.length === 0) throw notValid();
      const commits = await readCommits(repo, [...new Set(shas)]);
      const added = await contextCommits.add(
        view.mergeRequest.id,
        commits.map(({ id, committedAt }) => ({ sha: id, committedAt })),
        mostContextCommits,
      );
      if (!added) throw invalid(`A merge request has ${mostContextCommits} context commits at the most`);
      return { view, commits };
    },

    /** Takes commits away. @throws AppError forbidden as `add`; invalid when none of them is there */
    async remove(caller: Caller, key: Key, named: readonly string[]): Promise<void> {
      const { view, repo } = await updatable(caller, key);
      if (named.length > mostAtOnce) {
        throw invalid(`Context commits array size should not be more than ${mostAtOnce}`);
      }
      const revisions = await Promise.all(named.map((text) => resolveRevision(repo, text)));
      const shas = revisions.flatMap((revision) => revision?.sha ?? []);
      if ((await contextCommits.remove(view.mergeRequest.id, [...named, ...shas])) === 0) throw notValid();
    },
  };
}
