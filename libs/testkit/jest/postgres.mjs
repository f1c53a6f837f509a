// Runs the embedded PostgreSQL of one test run in a process of its own and removes it when standard input closes:
// the pipe breaks however the run ends, kill -9 included, so nothing is left behind.
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@switchyard/machine/embedded-postgres';

// Given a certificate and its key it speaks TLS as well.
const [certificate, key] = process.argv.slice(2);

const dataDir = mkdtempSync(join(tmpdir(), 'switchyard-test-postgres-'));
const tail = [];

/** The settings of TLS; the key must belong to the user of the server, which is another one under root. */
function tlsSettings() {
  if (key === undefined) return {};
  const owned = (file, name) => {
    const copy = join(dataDir, name);
    copyFileSync(file, copy);
    chmodSync(copy, 0o600);
    if (process.getuid?.() === 0)
      chownSync(copy, Number(execFileSync('id', ['-u', 'nobody'], { encoding: 'utf8' })), 0);
    return copy;
  };
  return { ssl: 'on', ssl_cert_file: owned(certificate, 'server.crt'), ssl_key_file: owned(key, 'server.key') };
}

const starting = startEmbeddedPostgres({
  dataDir,
  settings: {
    ...tlsSettings(),
    // Test data need not survive a power cut.
    fsync: 'off',
    full_page_writes: 'off',
    synchronous_commit: 'off',
    max_connections: '300',
    max_wal_size: '1GB',
  },
  log: (line) => {
    tail.push(line);
    if (tail.length > 20) tail.shift();
  },
});

let ending = false;

async function end(code) {
  if (ending) return;
  ending = true;
  await starting.then(
    (server) => server.remove(),
    () => undefined,
  );
  rmSync(dataDir, { recursive: true, force: true });
  process.exit(code);
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => end(0));
process.stdin
  .on('end', () => end(0))
  .on('error', () => end(0))
  .resume();
// The reader of our output is gone with the run; that alone must not keep the server from being removed.
process.stdout.on('error', () => undefined);

try {
  const server = await starting;
  process.stdout.write(`${JSON.stringify({ url: server.url('postgres') })}\n`);
  server.exited.then(() => end(1));
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: `${error.message}\n${tail.join('\n')}` })}\n`);
  await end(1);
}
