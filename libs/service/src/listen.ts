import { type AddressInfo, createServer, type Server } from 'node:net';

/** Where to listen. */
export interface Place {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** The variables that hold both, for errors. */
  readonly variables: { readonly host: string; readonly port: string };
}

/** Whose fault these are; all others are of the host: a name that is not known, an address of another machine. */
const portCodes = new Set(['EADDRINUSE', 'EACCES']);

/**
 * Listens.
 * @returns the port
 * @throws Error with one line that names the variable at fault
 */
export const listen = (server: Server, { host, port, variables }: Place): Promise<number> =>
  new Promise((resolve, reject) => {
    const refuse = (error: NodeJS.ErrnoException): void => {
      const variable = portCodes.has(error.code ?? '') ? variables.port : variables.host;
      reject(new Error(`${variable}: ${error.message}`, { cause: error }));
    };
    server.once('error', refuse);
    server.listen(port, host, () => {
      server.off('error', refuse);
      resolve((server.address() as AddressInfo).port);
    });
  });

/**
 * Tries a place out for a server that says in several lines, and without the code, why it cannot listen.
 * @throws Error with one line that names the variable at fault
 */
export async function assertListenable(place: Place): Promise<void> {
  const server = createServer();
  await listen(server, place);
  await new Promise((resolve) => server.close(resolve));
}
