import { SourceCodeServiceService } from '@switchyard/protos/merge_requests/v1/source_code';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import type { ReadSource } from '../application/read-source';
import { streamAsGitWork } from './as-git-work';

const caller = { callers: ['packages'], onBehalfOf: true };

/** Entries in one message. */
const entriesAtOnce = 1_000;

/** gRPC side of source code that other services publish. */
export const sourceCodeHandler = (source: ReadSource): ServiceImplementation =>
  implement(
    SourceCodeServiceService,
    {
      async listSourceTags({ projectId, prefix, reachableFrom }) {
        const tags = await source.tags(projectId, prefix, reachableFrom);
        return { tags: tags.map(({ name, commit }) => ({ name, commitSha: commit })) };
      },

      async findSourceCommit({ projectId, revision }) {
        const { sha, committedAt } = await source.commit(projectId, revision);
        return { commitSha: sha, committedAt };
      },

      readSourceFiles: async ({ projectId, places, mostBytes }) => ({
        files: await source.files(projectId, places, mostBytes),
      }),

      listSourceTree: ({ projectId, commitSha, path }, context) =>
        streamAsGitWork(context, async function* () {
          for await (const entries of source.tree(projectId, commitSha, path))
            for (let at = 0; at < entries.length; at += entriesAtOnce)
              yield { entries: entries.slice(at, at + entriesAtOnce) };
        }),

      streamSourceBlobs: ({ projectId, shas }, context) =>
        streamAsGitWork(context, () => source.blobs(projectId, shas)),
    },
    {
      listSourceTags: caller,
      findSourceCommit: { ...caller, callers: [...caller.callers, 'groups-admin'] },
      readSourceFiles: caller,
      listSourceTree: caller,
      streamSourceBlobs: caller,
    },
  );
