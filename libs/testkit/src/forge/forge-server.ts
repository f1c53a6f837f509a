import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Answers one request in place of the forge. */
export type ForgeFault = (request: IncomingMessage, response: ServerResponse) => void;

/** A request that a forge has had. */
export interface ForgeRequest {
  readonly method: string;
  readonly url: string;
  readonly authorization: string;
}

/** A forge on a port of this machine. */
export interface ForgeServer {
  /** Its address, as a caller names it. */
  readonly url: string;
  readonly requests: ForgeRequest[];
  /** Answers the next request whose path matches by `fault`. */
  breakNext(path: RegExp, fault: ForgeFault): void;
  close(): Promise<void>;
}

/** Sends JSON. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers });
  response.end(status === 304 ? undefined : JSON.stringify(body));
}

/** Header `Authorization` of a user with a password. */
export const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** A file that a forge keeps for texts; one that lies elsewhere is redirected to. */
export type ForgeFile = { readonly type?: string; readonly content: string | Buffer } | { readonly to: string };

/** Sends a file; 404 without one. */
export function sendFile(response: ServerResponse, file: ForgeFile | undefined): void {
  if (file === undefined) response.writeHead(404).end();
  else if ('to' in file) response.writeHead(302, { Location: file.to }).end();
  else response.writeHead(200, { 'Content-Type': file.type ?? 'application/octet-stream' }).end(file.content);
}

/** Starts a forge that answers each request by `answer`, unless a fault is set for it. */
export async function startForgeServer(
  answer: (request: IncomingMessage, response: ServerResponse, url: URL) => void,
): Promise<ForgeServer> {
  const faults: { path: RegExp; fault: ForgeFault }[] = [];
  const requests: ForgeRequest[] = [];
  const server = createServer((request, response) => {
    const { method = '', url = '', headers } = request;
    requests.push({ method, url, authorization: headers.authorization ?? '' });
    const at = faults.findIndex(({ path }) => path.test(url));
    const [fault] = at < 0 ? [] : faults.splice(at, 1);
    if (fault === undefined) answer(request, response, new URL(url, forge.url));
    else fault.fault(request, response);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const forge: ForgeServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    breakNext: (path, fault) => void faults.push({ path, fault }),
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
  return forge;
}
