import { createReadStream, createWriteStream } from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

const tar = createRequire(new URL('../services/packages/package.json', import.meta.url))('tar-stream');

// Processes of the benchmark `packages`, one role each: who sends and receives files, and two Node processes that pass
// a file on and store it with nothing else to do.
const { ROLE, GIVEN } = process.env;
const given = JSON.parse(GIVEN);

/** Bytes that do not compress and differ between two calls. */
async function* bytesOf(size) {
  const { randomBytes } = await import('node:crypto');
  const block = randomBytes(1 << 20);
  for (let left = size; left > 0; left -= block.length) {
    block.writeDoubleLE(left, 0);
    // A copy: the one before may be on its way yet.
    yield Buffer.from(left < block.length ? block.subarray(0, left) : block);
  }
}

/** npm's document of a version whose tarball holds a file of `size` bytes. */
async function* npmDocument({ name, version, size }) {
  const archive = tar.pack();
  const fill = async () => {
    archive.entry({ name: 'package/package.json' }, JSON.stringify({ name, version }));
    const data = archive.entry({ name: 'package/data', size });
    await pipeline(bytesOf(size), data);
    archive.finalize();
  };
  const failure = fill();
  const manifest = { name, version, dist: {} };
  const head = { name, 'dist-tags': { latest: version }, versions: { [version]: manifest } };
  yield `${JSON.stringify(head).slice(0, -1)},"_attachments":{"${name}-${version}.tgz":{"data":"`;
  let rest = Buffer.alloc(0);
  for await (const chunk of archive.pipe(createGzip({ level: 0 }))) {
    const joined = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const whole = joined.length - (joined.length % 3);
    yield joined.subarray(0, whole).toString('base64');
    rest = joined.subarray(whole);
  }
  await failure;
  yield `${rest.toString('base64')}"}}}`;
}

const roles = {
  /** Sends what it is told to, or receives it; says how long that took. */
  client() {
    process.on('message', async ({ method, url, headers = {}, size, npm }) => {
      const startedAt = performance.now();
      const length = npm === undefined && size !== undefined ? { 'Content-Length': size } : {};
      const request = http.request(url, { method, headers: { ...headers, ...length } });
      const replied = new Promise((settle, reject) => {
        request.on('response', settle).on('error', reject);
      });
      replied.catch(() => undefined);
      let received = 0;
      let text = '';
      try {
        if (npm !== undefined) await pipeline(npmDocument(npm), request);
        else if (size !== undefined) await pipeline(bytesOf(size), request);
        else request.end();
        const response = await replied;
        for await (const chunk of response) {
          received += chunk.length;
          if (text.length < 1_000) text += chunk.toString('latin1', 0, 1_000);
        }
        const ms = performance.now() - startedAt;
        process.send({ status: response.statusCode, ms, received, text: text.slice(0, 1_000) });
      } catch (error) {
        process.send({ status: 0, ms: performance.now() - startedAt, received, text: String(error) });
      }
    });
    process.send('ready');
  },

  /** Passes every request on to `target`. */
  proxy() {
    const server = http.createServer((incoming, outgoing) => {
      const { method, headers, url: path } = incoming;
      const forwarded = http.request(`${given.target}${path}`, { method, headers }, (reply) => {
        outgoing.writeHead(reply.statusCode, reply.headers);
        reply.pipe(outgoing);
      });
      forwarded.on('error', () => outgoing.destroy());
      incoming.pipe(forwarded);
    });
    server.listen(given.port, '127.0.0.1', () => process.send('ready'));
  },

  /** Writes what is sent to a file, and reads it. */
  store() {
    const server = http.createServer(async (request, response) => {
      try {
        if (request.method === 'PUT') {
          await pipeline(request, createWriteStream(given.file, { flush: true }));
          response.writeHead(201).end();
        } else await pipeline(createReadStream(given.file), response.writeHead(200));
      } catch {
        response.destroy();
      }
    });
    server.listen(given.port, '127.0.0.1', () => process.send('ready'));
  },
};
roles[ROLE]();
