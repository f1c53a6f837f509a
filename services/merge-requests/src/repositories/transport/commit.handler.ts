import {
  type CherryPickCommitRequest,
  CommitServiceService,
  type FileAction,
} from '@switchyard/protos/merge_requests/v1/commit';
import { type CallContext, entity, implement } from '@switchyard/rpc';
import { maxDiffFiles } from '../../git';
import type { CommitFiles, FileActionInput } from '../application/commit-files';
import type { PickCommand, PickCommit } from '../application/pick-commit';
import type { ReadCommitsOf } from '../application/read-commits';
import { type CommitPipeline, commitDetail, commitObject, diffObject } from '../presenters/commit.presenter';
import { actorOf, addressOf } from './repository-context';
import { sliced, windowOf, windowPage } from './window';

/** Finds the newest pipeline of a commit; undefined when it has none. */
export type NewestPipeline = (projectId: number, sha: string) => Promise<CommitPipeline | undefined>;

/** What the gRPC side of commits calls. */
export interface CommitEdges {
  readonly commits: ReadCommitsOf;
  readonly commitFiles: CommitFiles;
  readonly pickCommit: PickCommit;
  readonly newestPipeline: NewestPipeline;
  readonly externalUrl: string;
}

/** Content of a file as it was sent; bytes that are no base64 are skipped, as GitLab does. */
export const contentOf = (content: string, encoding: string): Buffer =>
  Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8');

const toAction = (action: FileAction): FileActionInput => ({
  action: action.action,
  filePath: action.filePath,
  previousPath: action.previousPath,
  content: action.content === undefined ? undefined : contentOf(action.content, action.encoding),
  lastCommitId: action.lastCommitId,
  executable: action.executeFilemode,
});

/** gRPC side of commits. */
export const commitHandler = ({ commits, commitFiles, pickCommit, newestPipeline, externalUrl }: CommitEdges) => {
  const pick =
    (kind: PickCommand['kind']) =>
    async ({ projectId, ...wanted }: CherryPickCommitRequest, context: CallContext) => {
      const made = await pickCommit(projectId, actorOf(context), { kind, ...wanted });
      return made === undefined
        ? entity({ dry_run: 'success' }, 200)
        : entity(commitObject(made, addressOf(context, externalUrl)), 201);
    };
  return implement(CommitServiceService, {
    cherryPickCommit: pick('cherry-pick'),
    revertCommit: pick('revert'),
    listCommits: async ({ projectId, page, topoOrder, trailers, ...wanted }, context) => {
      const window = windowOf(page);
      const found = await commits.list(projectId, { ...wanted, topological: topoOrder }, window);
      const address = addressOf(context, externalUrl);
      return windowPage(
        found.commits.map((commit) => commitObject(commit, address, { trailers })),
        page,
        { hasNext: found.hasNext },
      );
    },
    getCommit: async ({ projectId, sha, stats }, context) => {
      const commit = await commits.get(projectId, sha, stats);
      const pipeline = await newestPipeline(projectId, commit.id);
      return entity(commitDetail(commit, pipeline, projectId, addressOf(context, externalUrl)));
    },
    listCommitDiffs: async ({ projectId, sha, page, unidiff }) => {
      const window = windowOf(page);
      const { files, total: differing } = await commits.diff(projectId, sha, { unidiff, ...window });
      // What is never listed is on no page.
      const total = Math.min(differing, maxDiffFiles);
      return windowPage(files.map(diffObject), page, { total, hasNext: window.offset + files.length < total });
    },
    listCommitRefs: async ({ projectId, sha, type, page }) => {
      const { items, place } = sliced(await commits.refs(projectId, sha, type), page);
      return windowPage(items, page, place);
    },
    createCommit: async (request, context) => {
      const commit = await commitFiles(
        request.projectId,
        actorOf(context),
        {
          branch: request.branch,
          message: request.commitMessage,
          actions: request.actions.map(toAction),
          startBranch: request.startBranch,
          startSha: request.startSha,
          authorName: request.authorName,
          authorEmail: request.authorEmail,
          force: request.force,
        },
        { withStats: request.stats },
      );
      const pipeline = await newestPipeline(request.projectId, commit.id);
      return entity(commitDetail(commit, pipeline, request.projectId, addressOf(context, externalUrl)));
    },
  });
};
