import { type FileCommit, RepositoryFileServiceService } from '@switchyard/protos/merge_requests/v1/repository_file';
import { entity, implement, nothing } from '@switchyard/rpc';
import type { CommitFiles, FileActionInput } from '../application/commit-files';
import { contentOf } from './commit.handler';
import { actorOf } from './repository-context';

const toCommit = (commit: FileCommit | undefined, action: FileActionInput) => ({
  branch: commit?.branch ?? '',
  message: commit?.commitMessage ?? '',
  startBranch: commit?.startBranch ?? '',
  startSha: '',
  authorName: commit?.authorName ?? '',
  authorEmail: commit?.authorEmail ?? '',
  force: false,
  actions: [action],
});

/** gRPC side of writing single files. */
export const repositoryFileHandler = (commitFiles: CommitFiles) =>
  implement(RepositoryFileServiceService, {
    createFile: async ({ projectId, filePath, commit, content, encoding, executeFilemode }, context) => {
      const action = {
        action: 'create',
        filePath,
        previousPath: '',
        content: contentOf(content, encoding),
        lastCommitId: '',
        executable: executeFilemode,
      };
      await commitFiles(projectId, actorOf(context), toCommit(commit, action));
      return entity({ file_path: filePath, branch: commit?.branch ?? '' });
    },
    updateFile: async ({ projectId, filePath, commit, content, encoding, executeFilemode, lastCommitId }, context) => {
      const action = {
        action: 'update',
        filePath,
        previousPath: '',
        content: contentOf(content, encoding),
        lastCommitId,
        executable: executeFilemode,
      };
      await commitFiles(projectId, actorOf(context), toCommit(commit, action));
      return entity({ file_path: filePath, branch: commit?.branch ?? '' });
    },
    deleteFile: async ({ projectId, filePath, commit, lastCommitId }, context) => {
      const action = {
        action: 'delete',
        filePath,
        previousPath: '',
        content: undefined,
        lastCommitId,
        executable: undefined,
      };
      await commitFiles(projectId, actorOf(context), toCommit(commit, action));
      return nothing();
    },
  });
