// What users do first, against a running installation; `helm test` runs it:
//   URL=https://forge.example TOKEN=glpat-… node deploy/docker/tour.mjs
// It makes a private project of its own and marks it for deletion at the end, also after a failure. Without TOKEN it asks alone
// whether the gateway and what is behind it answer.
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const { URL: url = '', TOKEN: token } = process.env;
/** Milliseconds for one reply, for what follows in the background, and between two looks at it. */
const REPLY_MS = 20_000;
const BACKGROUND_MS = 120_000;
const LOOK_MS = 250;

async function send(method, path, body) {
  const isFile = body instanceof Uint8Array;
  const response = await fetch(new URL(path, url), {
    method,
    headers: {
      ...(token ? { 'PRIVATE-TOKEN': token } : {}),
      ...(body === undefined ? {} : { 'Content-Type': isFile ? 'application/octet-stream' : 'application/json' }),
    },
    body: body === undefined || isFile ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(REPLY_MS),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${bytes.toString().slice(0, 500)}`);
  return response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(bytes.toString()) : bytes;
}
const api = (method, path, body) => send(method, `/api/v4${path}`, body);

/** What `look` finds, as soon as it is there. */
async function eventually(what, look) {
  for (const end = performance.now() + BACKGROUND_MS; ; await sleep(LOOK_MS)) {
    const found = await look();
    if (found) return found;
    if (performance.now() > end) throw new Error(`${what}: not within ${BACKGROUND_MS / 1_000} s`);
  }
}

function expect(what, found, wanted) {
  if (found !== wanted) throw new Error(`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(wanted)}`);
}

async function step(name, work) {
  const since = performance.now();
  const result = await work();
  process.stdout.write(`${name}: ${((performance.now() - since) / 1_000).toFixed(1)} s\n`);
  return result;
}

/** Opens a merge request that adds a file, and waits until it can be merged. */
async function propose(project, branch) {
  await api('POST', `${project}/repository/commits`, {
    ...{ branch, start_branch: 'main', commit_message: `Add ${branch}` },
    actions: [{ action: 'create', file_path: branch, content: `${branch}\n` }],
  });
  const opened = { source_branch: branch, target_branch: 'main', title: `Add ${branch}`, remove_source_branch: true };
  const { iid } = await api('POST', `${project}/merge_requests`, opened);
  return `${project}/merge_requests/${iid}`;
}

/** Lands a merge request by a train: what was tested is what lands. */
async function takeTrain(project) {
  const at = await propose(project, 'by-train');
  const { iid, sha } = await api('GET', at);
  await api('POST', `${project}/statuses/${sha}`, { state: 'success', name: 'tour', ref: 'by-train' });
  const car = `${project}/merge_trains/merge_requests/${iid}`;
  await eventually('the merge request can board', async () => {
    const { detailed_merge_status: status } = await api('GET', at);
    return status === 'mergeable';
  });
  await api('POST', car, {});
  const { pipeline } = await eventually('the train has built the commit that it tests', async () => {
    const entry = await api('GET', car);
    return entry.pipeline?.sha ? entry : undefined;
  });
  await api('POST', `${project}/statuses/${pipeline.sha}`, {
    ...{ state: 'success', name: 'tour', pipeline_id: pipeline.id },
  });
  await eventually('the train lands it', async () => (await api('GET', at)).state === 'merged');
  const receipt = await api('GET', `${car}/receipt`);
  expect('the landed commit', receipt.landed.sha, receipt.tested.sha);
  expect('main', (await api('GET', `${project}/repository/branches/main`)).commit.id, receipt.tested.sha);
}

async function tour() {
  const name = `tour-${randomBytes(6).toString('hex')}`;
  const made = await step('a project', () =>
    api('POST', '/projects', {
      ...{ name, path: name, visibility: 'private', initialize_with_readme: true, default_branch: 'main' },
      ...{ merge_pipelines_enabled: true, merge_trains_enabled: true },
    }),
  );
  const project = `/projects/${made.id}`;
  try {
    await step('a merge request', async () => {
      const at = await propose(project, 'by-hand');
      await eventually('it can be merged', async () => {
        const { detailed_merge_status: status } = await api('GET', at);
        return status === 'mergeable' || status === 'ci_must_pass';
      });
      await api('POST', `${at}/notes`, { body: 'Seen :eyes:' });
    });
    // Tiers without trains answer with the setting off.
    if ((await api('GET', project)).merge_trains_enabled) await step('a merge train', () => takeTrain(project));
    await step('an issue', async () => {
      const { iid } = await api('POST', `${project}/issues`, { title: 'Tour' });
      await api('POST', `${project}/issues/${iid}/notes`, { body: 'Done\n/close' });
      expect('the issue', (await api('GET', `${project}/issues/${iid}`)).state, 'closed');
    });
    await step('a package', async () => {
      const file = randomBytes(1 << 20);
      const at = `${project}/packages/generic/tour/1.0.0/file`;
      await api('PUT', at, file);
      expect('the package is as it was sent', file.equals(await api('GET', at)), true);
    });
  } finally {
    await step('the project is deleted', () => api('DELETE', project));
  }
}

try {
  await step('readiness', () => send('GET', '/-/readiness'));
  await step('groups', () => api('GET', '/groups'));
  if (token) await tour();
} catch (error) {
  process.stderr.write(`${error.message}${error.cause ? ` (${error.cause})` : ''}\n`);
  process.exitCode = 1;
}
