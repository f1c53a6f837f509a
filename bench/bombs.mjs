import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { deflateSync, gzipSync } from 'node:zlib';
import { commandOf, processTree } from './cpu.mjs';
import { openRepository } from './git.mjs';

const sleep = (ms) => new Promise((settle) => setTimeout(settle, ms));
const line = (text) => (text.length + 4).toString(16).padStart(4, '0') + text;

/** Bytes of memory that a process has now. */
function memoryOf(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}

/** Watches the git processes of a service while `work` runs, and until all of them have ended. */
async function watched(service, work) {
  const gitNow = () =>
    processTree(service).filter((pid) => /(^|\/)git( |$)|^git-|^prlimit|ps-worker/.test(commandOf(pid)));
  let [processes, memory, working] = [0, 0, true];
  let quietAt = 0;
  const watching = (async () => {
    for (;;) {
      const pids = gitNow();
      processes = Math.max(processes, pids.length);
      memory = Math.max(
        memory,
        pids.reduce((sum, pid) => sum + memoryOf(pid), 0),
      );
      if (pids.length === 0 && !working) {
        quietAt = performance.now();
        return;
      }
      await sleep(25);
    }
  })();
  const startedAt = performance.now();
  const result = await work();
  const endedAt = performance.now();
  working = false;
  await watching;
  return { result, processes, memory, took: endedAt - startedAt, after: Math.max(0, quietAt - endedAt) };
}

/** A pack with a file of 4 MiB and `count` deltas that each unpack to 320 MiB, and the commit of it. */
function deltaBomb(count) {
  const types = { commit: 1, tree: 2, blob: 3, delta: 7 };
  const shaOf = (type, content) =>
    createHash('sha1').update(`${type} ${content.length}\0`).update(content).digest('hex');
  const varint = (value) => (value > 127 ? [(value & 127) | 128, ...varint(Math.floor(value / 128))] : [value]);
  const entry = (type, content, base = '') => {
    const first = (types[type] << 4) | (content.length & 15);
    const rest = Math.floor(content.length / 16);
    const header = rest === 0 ? [first] : [first | 128, ...varint(rest)];
    return Buffer.concat([Buffer.from(header), Buffer.from(base, 'hex'), deflateSync(content, { level: 9 })]);
  };
  const blob = Buffer.alloc(4 << 20);
  const sha = shaOf('blob', blob);
  const tree = Buffer.concat([Buffer.from('100644 file\0'), Buffer.from(sha, 'hex')]);
  const who = 'A <a@b.c> 1700000000 +0000';
  const commit = Buffer.from(`tree ${shaOf('tree', tree)}\nauthor ${who}\ncommitter ${who}\n\nBomb\n`);
  const deltas = Array.from({ length: count }, (_, at) =>
    entry(
      'delta',
      Buffer.from([...varint(4 << 20), ...varint((320 << 20) + 1), ...Array(80).fill([0xc0, 0x40]).flat(), 1, at]),
      sha,
    ),
  );
  const head = Buffer.alloc(12);
  head.write('PACK');
  head.writeUInt32BE(2, 4);
  head.writeUInt32BE(count + 3, 8);
  const body = Buffer.concat([head, entry('blob', blob), ...deltas, entry('tree', tree), entry('commit', commit)]);
  const pack = Buffer.concat([body, createHash('sha1').update(body).digest()]);
  return { pack, head: shaOf('commit', commit) };
}

/** What little requests make git do: processes and memory while they run, and seconds until all of it has ended. */
export async function bombs(installation, report) {
  const { api, url, rootToken } = installation;
  const { body: project } = await api('POST', '/projects', { name: `bombs-${Date.now()}`, visibility: 'public' });
  const path = project.path_with_namespace;
  const service = installation.pidOf('merge-requests');
  const repository = openRepository(installation, { token: rootToken, path });
  const { git } = repository;
  const blob = git(['hash-object', '-w', '--stdin'], 'hello\n');
  let tree = '';
  for (let level = 0; level < 6; level++) {
    const row = (at) => (level === 0 ? `100644 blob ${blob}\tf${at}\n` : `040000 tree ${tree}\td${at}\n`);
    tree = git(['mktree'], Array.from({ length: 10 }, (_, at) => row(at)).join(''));
  }
  const who = ['-c', 'user.name=A', '-c', 'user.email=a@b.c'];
  const empty = git([...who, 'commit-tree', git(['mktree'], ''), '-m', 'first']);
  const head = git([...who, 'commit-tree', tree, '-p', empty, '-m', 'bomb']);
  await repository.push(`${empty}:refs/heads/main`);
  await repository.push(`${head}:refs/heads/bomb`);

  const show = (name, { processes, memory, took, after }, more = '') => {
    report.note(
      `  ${name}: ${processes} processes, ${(memory / 2 ** 20).toFixed(0)} MiB, ${(took / 1_000).toFixed(1)} s, ended ${(after / 1_000).toFixed(1)} s after${more}`,
    );
  };
  const at = `${url}/api/v4/projects/${project.id}/repository`;
  const reads = {
    'commit with its stats': `${at}/commits/${head}`,
    'commits with stats': `${at}/commits?ref_name=bomb&with_stats=true`,
    'diff of a commit': `${at}/commits/${head}/diff`,
    comparison: `${at}/compare?from=main&to=bomb`,
    'recursive tree': `${at}/tree?ref=bomb&recursive=true`,
  };
  report.note('bombs: a million files in a pack of 550 bytes, read without a token');
  for (const [name, address] of Object.entries(reads)) {
    const whole = await watched(service, () =>
      fetch(address).then(async (reply) => ({ status: reply.status, size: (await reply.arrayBuffer()).byteLength })),
    );
    show(name, whole, `: ${whole.result.status}, ${whole.result.size} bytes`);
  }
  const left = await watched(service, async () => {
    const gone = new AbortController();
    const asked = Array.from({ length: 4 }, () => fetch(reads['diff of a commit'], { signal: gone.signal }));
    await sleep(1_000);
    gone.abort();
    await Promise.allSettled(asked);
  });
  show('four diffs whose callers leave after a second', left);

  const basic = `Basic ${Buffer.from(`bench:${rootToken}`).toString('base64')}`;
  const post = (service, body, headers = {}) =>
    fetch(`${url}/${path}.git/git-${service}`, {
      method: 'POST',
      headers: { authorization: basic, 'content-type': `application/x-git-${service}-request`, ...headers },
      body,
    }).then(async (reply) => ({ status: reply.status, text: (await reply.text()).slice(0, 200) }));
  const bomb = deltaBomb(60);
  const push = Buffer.concat([
    Buffer.from(`${line(`${'0'.repeat(40)} ${bomb.head} refs/heads/delta\0report-status`)}0000`),
    bomb.pack,
  ]);
  const pushed = await watched(service, () => post('receive-pack', push));
  show(`push of ${push.length} bytes`, pushed, `: ${pushed.result.status} ${JSON.stringify(pushed.result.text)}`);

  const packet = line(`have ${'0'.repeat(40)}\n`);
  const wants = `${line('command=fetch')}0001${line(`want ${head}\n`)}${packet.repeat(410_000)}${line('done\n')}0000`;
  const packed = gzipSync(Buffer.from(wants), { level: 9 });
  const fetched = await watched(service, () =>
    post('upload-pack', packed, { 'content-encoding': 'gzip', 'git-protocol': 'version=2' }),
  );
  show(`fetch of ${packed.length} bytes of gzip for ${wants.length}`, fetched, `: ${fetched.result.status}`);

  const { hostname, port } = new URL(url);
  const half = await watched(service, async () => {
    const sockets = Array.from({ length: 60 }, () => {
      const socket = connect(Number(port), hostname);
      socket
        .on('error', () => undefined)
        .write(
          `POST /${path}.git/git-upload-pack HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/x-git-upload-pack-request\r\nContent-Length: 100\r\n\r\n0014`,
        );
      return socket;
    });
    const since = performance.now();
    const ended = Promise.all(
      sockets.map((socket) => new Promise((settle) => socket.once('data', settle).once('close', settle))),
    );
    await sleep(2_000);
    const others = performance.now();
    await fetch(`${url}/${path}.git/info/refs?service=git-upload-pack`).then((reply) => reply.text());
    const served = performance.now() - others;
    const all = await Promise.race([ended.then(() => performance.now() - since), sleep(45_000)]);
    for (const socket of sockets) socket.destroy();
    return { served, all };
  });
  const { served, all } = half.result;
  show(
    '60 fetches of 4 bytes',
    half,
    `; another was served in ${served.toFixed(0)} ms; ${all === undefined ? 'not ended after 45 s' : `ended by themselves after ${(all / 1_000).toFixed(0)} s`}`,
  );
  repository.remove();
}
