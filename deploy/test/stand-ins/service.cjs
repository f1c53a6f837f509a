// A process with a service's manners: migrates, answers its probe, leaves on SIGTERM and when its launcher dies.
const { createServer } = require('node:http');
const { appendFileSync } = require('node:fs');
const { join } = require('node:path');

const name = require('node:path').basename(join(__dirname, '..'));
const journal = join(process.env.SWITCHYARD_DATA, 'journal');
const note = (what) => appendFileSync(journal, `${name} ${what}\n`);

if (process.argv[2] === 'migrate') {
  note('migrate');
} else {
  const server = createServer((request, response) => {
    if (request.url === '/environment') return response.end(JSON.stringify({ pid: process.pid, env: process.env }));
    if (request.url === '/die') process.kill(process.pid, 'SIGKILL');
    response.end('ready');
  });
  server.listen(Number(name === 'gateway' ? process.env.PORT : process.env.HTTP_PORT), process.env.HOST, () =>
    note('start'),
  );
  const leave = (why) => {
    note(why);
    process.exit(0);
  };
  process.once('SIGTERM', () => leave('stop'));
  process.once('disconnect', () => leave('disconnect'));
}
