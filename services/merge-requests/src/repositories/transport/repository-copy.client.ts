import { createHash } from 'node:crypto';
import { isAppError, notFound } from '@switchyard/errors';
import {
  type DescribeRepositoryResponse,
  RepositoryCopyServiceService,
  type SettledRef,
} from '@switchyard/protos/merge_requests/v1/repository_copy';
import type { Peer } from '@switchyard/rpc';
import { type CopySource, deleteRepository, refNameOf, shaOf, sourceHere } from '../../git';
import type { ProjectElsewhere } from '../application/between-projects';
import type { SettleElsewhere } from '../application/change-refs';
import type { Copies } from '../application/copies';
import type { Storages } from '../application/storages';
import type { ChangeWikiRefs } from '../application/wikis';
import { type RepositoryKind, repositoryKinds } from '../domain/repository';
import type { OtherProcess, ProcessesOf } from './relay';

/** Milliseconds for a pack, and for a list. */
const fileMs = 7_200_000;
const listMs = 600_000;
/** The same for the removal of a repository, and for a change of refs with those who follow it. */
const removeMs = 600_000;
const settleMs = 600_000;
/** The same for a commit to come over: more than git has for it. */
const bringMs = 660_000;

/** What is called for no user. */
const requestId = 'repository-copy';

/** Where the content of a file goes has no other folder in its name. */
const plainName = /^[\w-][\w.-]*$/;

/** The messages of a stream; undefined where the first one says that what was asked for is not there. */
async function foundIn<T>(messages: AsyncIterable<T>): Promise<AsyncGenerator<T> | undefined> {
  const reading = messages[Symbol.asyncIterator]();
  let first: IteratorResult<T>;
  try {
    first = await reading.next();
  } catch (error) {
    if (isAppError(error, 'not_found')) return undefined;
    throw error;
  }
  return (async function* () {
    try {
      for (let next = first; !next.done; next = await reading.next()) yield next.value;
    } finally {
      await reading.return?.();
    }
  })();
}

/** A copy that another process has. */
function sourceOf(process: Peer, storage: string, projectId: number, kind: RepositoryKind): CopySource {
  const client = process.client(RepositoryCopyServiceService);
  const copy = { projectId, storage, wiki: kind === 'wiki' };
  const name = `${kind} of project ${projectId} in ${storage}`;
  const options = (timeoutMs: number, signal?: AbortSignal) => ({ requestId, timeoutMs, ...(signal && { signal }) });

  async function objectFiles(signal?: AbortSignal): Promise<string[] | undefined> {
    let files: string[] | undefined;
    for await (const { names } of client.listObjectFiles(copy, options(listMs, signal))) {
      files ??= [];
      files.push(...names);
    }
    return files;
  }

  return {
    name,
    async exists() {
      for await (const _ of client.listObjectFiles(copy, options(listMs))) return true;
      return false;
    },
    async describe(signal) {
      const parts: DescribeRepositoryResponse[] = [];
      for await (const part of client.describeRepository(copy, options(listMs, signal))) parts.push(part);
      const refs = parts.flatMap((part) =>
        part.refs.flatMap((given) => {
          const [ref, sha] = [refNameOf(given.name), shaOf(given.sha)];
          return ref === undefined || sha === undefined ? [] : [{ ref, sha }];
        }),
      );
      const settings = parts.flatMap((part) => part.settings.filter((file) => plainName.test(file.name)));
      return { refs, settings };
    },
    objectFiles,
    async openObjectFile(file, signal) {
      const parts = await foundIn(client.readObjectFile({ ...copy, name: file }, options(fileMs, signal)));
      if (parts === undefined) return undefined;
      return (async function* () {
        const hash = createHash('sha256');
        let digest: Uint8Array = new Uint8Array();
        for await (const part of parts) {
          hash.update(part.data);
          if (part.data.length > 0) yield part.data;
          if (part.digest.length > 0) digest = part.digest;
        }
        if (!hash.digest().equals(digest)) throw new Error(`${file} of ${name} arrived otherwise than it was sent`);
      })();
    },
  };
}

/**
 * Copies of repositories, wherever they are.
 * @param processes those of the storages that are not served here
 */
export const copiesIn = (
  storages: Pick<Storages, 'at'>,
  processes: ReadonlyMap<string, Pick<OtherProcess, 'sibling'>>,
): Copies => ({
  at(storage, projectId, kind) {
    const process = processes.get(storage);
    return process === undefined
      ? sourceHere(storages.at(storage, projectId, kind))
      : sourceOf(process.sibling, storage, projectId, kind);
  },
  async removeFormer(storage, projectId) {
    const process = processes.get(storage);
    if (process === undefined) {
      for (const kind of repositoryKinds) await deleteRepository(storages.at(storage, projectId, kind));
      return;
    }
    const client = process.sibling.client(RepositoryCopyServiceService);
    await client.removeFormerCopy({ projectId, storage }, { requestId, timeoutMs: removeMs, idempotent: true });
  },
});

/**
 * Projects whose repositories other processes have. A call goes to the process that has it, or had it a moment ago and
 * relays.
 */
export const projectsElsewhere =
  (processesOf: ProcessesOf) =>
  async (projectId: number): Promise<ProjectElsewhere | undefined> => {
    const process = (await processesOf([projectId])).get(projectId);
    if (process === undefined) return undefined;
    const client = process.sibling.client(RepositoryCopyServiceService);
    return {
      async readHead(branch) {
        const { sha } = await client.readBranchHead({ projectId, branch }, { requestId, idempotent: true });
        return shaOf(sha);
      },
      async *packCommit(sha, known) {
        const pack = client.packCommit({ projectId, sha, known: [...known] }, { requestId, timeoutMs: bringMs });
        for await (const { data } of pack) yield data;
      },
      async bundleFork(branch) {
        const parts = await foundIn(
          client.bundleFork({ projectId, branch: branch ?? '' }, { requestId, timeoutMs: fileMs }),
        );
        if (parts === undefined) throw notFound('Project');
        const { value: first } = await parts.next();
        return {
          defaultBranch: first?.defaultBranch ?? '',
          content: (async function* () {
            for await (const { data } of parts) yield data;
          })(),
          close: () => parts.return(undefined),
        };
      },
      async bringCommit({ from, sha, known = [] }) {
        const { isBrought } = await client.bringCommit(
          { projectId, sourceProjectId: from, sha, known: [...known] },
          { requestId, timeoutMs: bringMs, idempotent: true },
        );
        return isBrought;
      },
    };
  };

/** Has the process that has a project's repositories now move the refs of a change that began here. */
export function changesElsewhere(processesOf: ProcessesOf): {
  readonly settle: SettleElsewhere;
  readonly changeWiki: ChangeWikiRefs;
} {
  async function clientFor(projectId: number) {
    const process = (await processesOf([projectId])).get(projectId);
    if (process === undefined) throw notFound('Project');
    return process.sibling.client(RepositoryCopyServiceService);
  }
  const options = { requestId, timeoutMs: settleMs };
  const reasonsOf = (refs: readonly SettledRef[]) => refs.map(({ moved, reason }) => (moved ? undefined : reason));
  return {
    async settle({ projectId, pushId, atomic }) {
      const client = await clientFor(projectId);
      const { refs, lines } = await client.settleRefChange({ projectId, pushId, atomic }, options);
      return { reasons: reasonsOf(refs), lines };
    },
    async changeWiki({ projectId, updates, atomic }) {
      const client = await clientFor(projectId);
      const { refs } = await client.changeWikiRefs({ projectId, updates: [...updates], atomic }, options);
      return reasonsOf(refs);
    },
  };
}
