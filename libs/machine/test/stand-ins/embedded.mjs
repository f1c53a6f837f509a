// Starts an embedded server on the folder given, says where it is, and stays until a line arrives or it is killed.
import { startEmbeddedPostgres } from '../../src/embedded-postgres.mjs';

const [dataDir] = process.argv.slice(2);
const server = await startEmbeddedPostgres({ dataDir, log: (line) => process.stderr.write(`${line}\n`) });
process.stdout.write(
  `${JSON.stringify({ pid: server.pid, url: server.url('postgres'), clusterDir: server.clusterDir })}\n`,
);
process.stdin.once('data', async () => {
  await server.stop();
  process.exit();
});
