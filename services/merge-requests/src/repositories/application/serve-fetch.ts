import type { IncomingMessage, ServerResponse } from 'node:http';
import { advertiseUploadPack, decodedBody, gitProtocolOf, readFetchRequest, uploadPack } from '../../git';
import type { OpenProjectRepository } from './open-project-repository';

type Headers = Readonly<Record<string, string>>;

/** Serves clones and fetches over smart HTTP. */
export const serveFetch = ({ open }: { open: OpenProjectRepository }) => ({
  /** The refs there are. */
  async advertise(
    projectId: number,
    protocol: string | undefined,
    response: ServerResponse,
    head: Headers,
  ): Promise<void> {
    const { repo } = await open(projectId);
    const onStart = () => void response.writeHead(200, head);
    await advertiseUploadPack(repo, response, { gitProtocol: gitProtocolOf(protocol), onStart });
  },

  /** The objects a client lacks. */
  async serve(
    projectId: number,
    protocol: string | undefined,
    encoding: string | undefined,
    request: IncomingMessage,
    response: ServerResponse,
    head: Headers,
  ): Promise<void> {
    // First of all: as long as the request is not there, nothing is held for it.
    const input = await readFetchRequest(decodedBody(request, encoding));
    const { repo } = await open(projectId);
    const onStart = () => void response.writeHead(200, head);
    await uploadPack(repo, input, response, { gitProtocol: gitProtocolOf(protocol), onStart });
  },
});

/** What `serveFetch` gives. */
export type ServeFetch = ReturnType<typeof serveFetch>;
