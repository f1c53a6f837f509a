import { spawn } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Serves the repositories below a folder by git's own smart HTTP server; they are read alone. */
export const gitBackend =
  (folder: string) =>
  (request: IncomingMessage, response: ServerResponse): void => {
    const [path = '', query = ''] = (request.url ?? '').split('?');
    const child = spawn('git', ['http-backend'], {
      env: {
        PATH: process.env.PATH,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_CONFIG_NOSYSTEM: '1',
        PATH_INFO: path,
        QUERY_STRING: query,
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
        GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    request.pipe(child.stdin).on('error', () => undefined);
    let head = Buffer.alloc(0);
    child.stdout.on('data', (chunk: Buffer) => {
      if (response.headersSent) {
        response.write(chunk);
        return;
      }
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf('\r\n\r\n');
      if (end < 0) return;
      const lines = head.toString('latin1', 0, end).split('\r\n');
      const headers = lines.map((line) => line.split(': ') as [string, string]);
      const status = headers.find(([name]) => name === 'Status')?.[1];
      response.writeHead(
        Number(status?.slice(0, 3) ?? 200),
        Object.fromEntries(headers.filter(([name]) => name !== 'Status')),
      );
      response.write(head.subarray(end + 4));
    });
    child.once('close', () => response.end());
    response.once('close', () => child.kill());
  };
