import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  advertiseUploadPack,
  decodedBody,
  gitProtocolOf,
  type Repository,
  readFetchRequest,
  uploadPack,
} from '../../git';
import type { RepositoryKind } from '../domain/repository';
import type { OpenProjectRepository } from './open-project-repository';
import type { Wikis } from './wikis';

type Headers = Readonly<Record<string, string>>;

/** What is fetched from. */
export interface FetchedPlace {
  readonly projectId: number;
  /** Which repository of the project. */
  readonly kind: RepositoryKind;
  /** Whether the user may push there: then a wiki that is not there is made, to be cloned and pushed to. */
  readonly mayPush: boolean;
}

/** Serves clones and fetches over smart HTTP. */
export function serveFetch({ open, wikis }: { open: OpenProjectRepository; wikis: Pick<Wikis, 'find' | 'open'> }) {
  async function repositoryAt({ projectId, kind, mayPush }: FetchedPlace): Promise<Repository> {
    if (kind === 'code') return (await open(projectId)).repo;
    return mayPush ? wikis.open(projectId) : wikis.find(projectId);
  }

  return {
    /** The refs there are. @throws AppError not_found for a wiki that is not there, to who may not push to it */
    async advertise(
      place: FetchedPlace,
      protocol: string | undefined,
      response: ServerResponse,
      head: Headers,
    ): Promise<void> {
      const repo = await repositoryAt(place);
      const onStart = () => void response.writeHead(200, head);
      await advertiseUploadPack(repo, response, { gitProtocol: gitProtocolOf(protocol), onStart });
    },

    /** The objects a client lacks. @throws AppError not_found as `advertise` does */
    async serve(
      place: FetchedPlace,
      protocol: string | undefined,
      encoding: string | undefined,
      request: IncomingMessage,
      response: ServerResponse,
      head: Headers,
    ): Promise<void> {
      // First of all: as long as the request is not there, nothing is held for it.
      const input = await readFetchRequest(decodedBody(request, encoding));
      const repo = await repositoryAt(place);
      const onStart = () => void response.writeHead(200, head);
      await uploadPack(repo, input, response, { gitProtocol: gitProtocolOf(protocol), onStart });
    },
  };
}

/** What `serveFetch` gives. */
export type ServeFetch = ReturnType<typeof serveFetch>;
