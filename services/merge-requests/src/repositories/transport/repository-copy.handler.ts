import { createHash } from 'node:crypto';
import { notFound } from '@switchyard/errors';
import {
  type DescribeRepositoryRequest,
  RepositoryCopyServiceService,
  type SettledRef,
} from '@switchyard/protos/merge_requests/v1/repository_copy';
import { implement, type ServiceImplementation } from '@switchyard/rpc';
import {
  bundleFork,
  type CopySource,
  isObjectFile,
  packCommit,
  parseBranchName,
  parseSha,
  sourceHere,
} from '../../git';
import type { BetweenProjects } from '../application/between-projects';
import type { RefChanges } from '../application/change-refs';
import type { Copies } from '../application/copies';
import type { OpenProjectRepository } from '../application/open-project-repository';
import type { Storages } from '../application/storages';
import type { Wikis } from '../application/wikis';
import { asBackground, streamAsGitWork } from './as-git-work';
import { serviceName } from './relay';

/** What the handler needs. */
export interface RepositoryCopyEdges {
  readonly storages: Pick<Storages, 'at'>;
  readonly removeFormer: Copies['removeFormer'];
  readonly settleBegun: RefChanges['settleBegun'];
  readonly changeWiki: Wikis['changeBegun'];
  readonly open: OpenProjectRepository;
  readonly between: Pick<BetweenProjects, 'readHead' | 'bringCommit'>;
}

const itself = { callers: [serviceName] };

/** Refs, or names of files, in one message. */
const namesAtOnce = 1_000;

function* portions<T>(all: readonly T[]): Generator<T[]> {
  for (let at = 0; at < all.length; at += namesAtOnce) yield all.slice(at, at + namesAtOnce);
}

const settledRefs = (reasons: readonly (string | undefined)[]): SettledRef[] =>
  reasons.map((reason) => ({ moved: reason === undefined, reason: reason ?? '' }));

/** gRPC side of repositories for other processes of the service. */
export const repositoryCopyHandler = ({
  storages,
  removeFormer,
  settleBegun,
  changeWiki,
  open,
  between,
}: RepositoryCopyEdges): ServiceImplementation => {
  const sourceOf = ({ projectId, storage, wiki }: DescribeRepositoryRequest): CopySource =>
    sourceHere(storages.at(storage, projectId, wiki ? 'wiki' : 'code'));
  return implement(
    RepositoryCopyServiceService,
    {
      describeRepository: (copy, context) =>
        streamAsGitWork(context, async function* () {
          const source = sourceOf(copy);
          if (!(await source.exists())) throw notFound();
          const { refs, settings } = await source.describe(context.signal);
          yield { refs: [], settings: [...settings] };
          for (const part of portions(refs))
            yield { refs: part.map(({ ref, sha }) => ({ name: ref, sha })), settings: [] };
        }),

      async *listObjectFiles(copy) {
        const names = await sourceOf(copy).objectFiles();
        if (names === undefined) return;
        yield { names: [] };
        for (const part of portions(names)) yield { names: part };
      },

      async *readObjectFile({ name, ...copy }) {
        if (!isObjectFile(name)) throw notFound();
        const content = await sourceOf(copy).openObjectFile(name);
        if (content === undefined) throw notFound();
        const hash = createHash('sha256');
        for await (const data of content) {
          hash.update(data);
          yield { data, digest: Buffer.alloc(0) };
        }
        yield { data: Buffer.alloc(0), digest: hash.digest() };
      },

      async removeFormerCopy({ projectId, storage }) {
        await removeFormer(storage, projectId);
        return {};
      },

      async settleRefChange({ projectId, pushId, atomic }) {
        const { reasons, lines } = await asBackground(() => settleBegun({ projectId, pushId, atomic }));
        return { refs: settledRefs(reasons), lines: [...lines] };
      },

      async changeWikiRefs({ projectId, updates, atomic }) {
        return { refs: settledRefs(await asBackground(() => changeWiki({ projectId, updates, atomic }))) };
      },

      async readBranchHead({ projectId, branch }) {
        return { sha: (await asBackground(() => between.readHead(projectId, branch))) ?? '' };
      },

      packCommit: ({ projectId, sha, known }, context) =>
        streamAsGitWork(context, async function* () {
          const { repo } = await open(projectId);
          const pack = packCommit(repo, parseSha(sha), known.map(parseSha), { signal: context.signal });
          for await (const data of pack) yield { data };
        }),

      bundleFork: ({ projectId, branch }, context) =>
        streamAsGitWork(context, async function* () {
          const { repo, defaultBranch } = await open(projectId);
          yield { data: Buffer.alloc(0), defaultBranch };
          const only = branch === '' ? undefined : parseBranchName(branch);
          for await (const data of bundleFork(repo, only)) yield { data, defaultBranch: '' };
        }),

      async bringCommit({ projectId, sourceProjectId, sha, known }) {
        const commit = { from: sourceProjectId, into: projectId, sha: parseSha(sha), known: known.map(parseSha) };
        return { isBrought: await asBackground(() => between.bringCommit(commit)) };
      },
    },
    {
      describeRepository: itself,
      listObjectFiles: itself,
      readObjectFile: itself,
      removeFormerCopy: itself,
      settleRefChange: itself,
      changeWikiRefs: itself,
      readBranchHead: itself,
      packCommit: itself,
      bringCommit: itself,
      bundleFork: itself,
    },
  );
};
