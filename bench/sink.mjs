import { createServer } from 'node:http';

/** A place for traces to go: takes whatever is sent over OTLP/HTTP and forgets it. */
export async function startSink() {
  let bytes = 0;
  const server = createServer((request, response) => {
    request.on('data', (chunk) => {
      bytes += chunk.length;
    });
    request.on('end', () => response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end());
  });
  await new Promise((settle) => server.listen(0, '127.0.0.1', settle));
  return {
    endpoint: `http://127.0.0.1:${server.address().port}`,
    received: () => bytes,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
