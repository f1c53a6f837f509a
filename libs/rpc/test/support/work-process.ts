import { createPublicKey } from 'node:crypto';
import { startServer } from '@switchyard/rpc';
import { workService } from './work-service';

/** A process that serves the service of tests: its address, and the public key of the gateway that calls it. */
const [host = '', port = '', gateway = ''] = process.argv.slice(2);
startServer({
  services: [workService(async () => undefined)],
  trusted: new Map([['gateway', createPublicKey(gateway)]]),
  host,
  port: Number(port),
}).then(() => process.stdout.write('listening\n'));
