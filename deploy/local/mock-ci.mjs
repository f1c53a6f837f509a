// A CI for development: finds the pipelines that wait, fetches their commits, tests them and reports.
//   npm run mock-ci -- [--project <id or path>]… [--command <shell command>] [--name <status name>] [--parallel <n>]
// Without a command it reads the file `.mock-ci` of the commit: lines `fail`, `sleep <seconds>`; a commit without one succeeds after a second.
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { environmentOfVariables, lastLineOf, maskOf } from './ci-variables.mjs';
import { readEnvironment, urlHost } from './environment.mjs';
import { LaunchFailure } from './failure.mjs';

const POLL_MS = 500;
const RETRY_MS = 2_000;
const PAGE = 100;
const DEFAULT_SECONDS = 1;
const COMMAND_LIMIT_MS = 30 * 60_000;
const REQUEST_LIMIT_MS = 30_000;
/** Longest description that is reported, of the 255 characters that are taken. */
const WORDS = 200;
const UNFINISHED = ['created', 'pending', 'running'];
/** Statuses that a retry may change, in addition to all from 500. */
const PASSING = [408, 429];

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const stopping = new AbortController();
const { signal } = stopping;

/** An answer that is not a success. */
class Refused extends Error {
  constructor(status, body) {
    super(`${status} ${body.slice(0, 200)}`);
    this.status = status;
  }
}

try {
  await main();
} catch (error) {
  if (!signal.aborted) {
    process.stderr.write(`npm run mock-ci: ${error instanceof LaunchFailure ? error.message : error.stack}\n`);
    process.exitCode = 1;
  }
}

async function main() {
  const options = readArguments();
  const settings = readEnvironment(process.env, { root, cwd: process.cwd() });
  const url = `http://${urlHost(settings.host)}:${settings.port}`;
  const ci = { ...options, url, token: tokenOf(settings), work: mkdtempSync(join(tmpdir(), 'switchyard-mock-ci-')) };
  for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => stopping.abort());
  try {
    const user = await api(ci, '/user');
    say(`testing what waits at ${url} as ${user.username}; Ctrl-C stops`);
    await work(ci);
    say('stopped');
  } catch (error) {
    if (error instanceof Refused && error.status === 401) throw new LaunchFailure('the token is not accepted');
    if (error.cause?.code === 'ECONNREFUSED') throw new LaunchFailure(`nothing answers at ${url}: run npm start first`);
    throw error;
  } finally {
    rmSync(ci.work, { recursive: true, force: true });
  }
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        project: { type: 'string', multiple: true, default: [] },
        command: { type: 'string' },
        name: { type: 'string', default: 'mock-ci' },
        parallel: { type: 'string', default: '20' },
      },
    });
    const parallel = Number(values.parallel);
    if (!Number.isInteger(parallel) || parallel < 1) throw new Error('--parallel must be a whole number from 1');
    return { ...values, parallel };
  } catch (error) {
    throw new LaunchFailure(error.message);
  }
}

function tokenOf({ rootToken, data }) {
  const file = join(data, 'root-token');
  const token =
    process.env.SWITCHYARD_TOKEN?.trim() || rootToken || (existsSync(file) && readFileSync(file, 'utf8').trim());
  if (!token)
    throw new LaunchFailure(`no token: set SWITCHYARD_TOKEN or SWITCHYARD_ROOT_TOKEN; there is none in ${file}`);
  return token;
}

function say(text) {
  process.stdout.write(`${new Date().toTimeString().slice(0, 8)}  ${text}\n`);
}

async function api({ url, token }, path, body) {
  const response = await fetch(`${url}/api/v4${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'PRIVATE-TOKEN': token, ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    body: body === undefined ? undefined : JSON.stringify(body),
    signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_LIMIT_MS)]),
  });
  const text = await response.text();
  if (!response.ok) throw new Refused(response.status, text);
  return JSON.parse(text);
}

/** Polls for work until it is stopped; a request without a reply is sent again. */
async function work(ci) {
  const running = new Map();
  const heads = new Set();
  const resumed = new Set();
  while (!signal.aborted) {
    let pause = POLL_MS;
    try {
      for (const project of await projectsOf(ci)) {
        // What ends while the lists are read stands in them as it was.
        const busy = new Set(running.keys());
        const left = resumed.has(project.id) ? [] : await interruptedOf(ci, project);
        for (const job of [...left, ...(await jobsOf(ci, project, heads))]) {
          if (running.size >= ci.parallel && !left.includes(job)) break;
          if (busy.has(job.key) || running.has(job.key)) continue;
          heads.add(job.key);
          const end = runJob(ci, project, job).finally(() => running.delete(job.key));
          running.set(job.key, end);
        }
        resumed.add(project.id);
      }
    } catch (error) {
      if (signal.aborted) break;
      if (error instanceof Refused && error.status === 401) throw error;
      say(`cannot read what waits (${error.cause?.code ?? error.message}); trying again`);
      pause = RETRY_MS;
    }
    await sleep(pause, undefined, { signal }).catch(() => {});
  }
  await Promise.all(running.values());
}

function projectsOf(ci) {
  if (ci.project.length > 0)
    return Promise.all(ci.project.map((name) => api(ci, `/projects/${encodeURIComponent(name)}`)));
  return api(ci, `/projects?membership=true&order_by=id&sort=asc&per_page=${PAGE}`);
}

/** Pipelines that an earlier process with this name began to test, and did not finish: asked for once, at the start. */
async function interruptedOf(ci, { id: projectId }) {
  const path = `/projects/${projectId}`;
  const unfinished = await api(ci, `${path}/pipelines?scope=running&order_by=id&sort=asc&per_page=${PAGE}`);
  const jobs = [];
  for (const { id, sha, ref } of unfinished) {
    const named = `pipeline_id=${id}&name=${encodeURIComponent(ci.name)}`;
    const own = await api(
      ci,
      `${path}/repository/commits/${sha}/statuses?${named}&order_by=id&sort=desc&per_page=1`,
    ).catch((error) => {
      // The commit, or the pipeline, has gone.
      if (error instanceof Refused && error.status === 404) return [];
      throw error;
    });
    if (!UNFINISHED.includes(own[0]?.status)) continue;
    const fetch = ref.startsWith('refs/') ? ref : `refs/heads/${ref}`;
    jobs.push({ key: `pipeline ${id}`, sha, ref, fetch, pipelineId: id });
  }
  return jobs;
}

/** Pipelines that wait, the oldest first; and heads of open merge requests that are not tested yet. */
async function jobsOf(ci, project, heads) {
  const path = `/projects/${project.id}`;
  const waiting = await api(
    ci,
    `${path}/pipelines?source=merge_request_event&scope=pending&order_by=id&sort=asc&per_page=${PAGE}`,
  );
  const jobs = waiting.map(({ id, sha, ref }) => ({ key: `pipeline ${id}`, sha, ref, fetch: ref, pipelineId: id }));
  const open = await api(ci, `${path}/merge_requests?state=opened&order_by=updated_at&per_page=${PAGE}`);
  for (const { iid, sha, source_branch: branch, source_project_id: source } of open) {
    const key = `head ${project.id} ${branch} ${sha}`;
    if (!sha || source !== project.id || heads.has(key)) continue;
    const tested = await api(ci, `${path}/pipelines?sha=${sha}&per_page=1`);
    if (tested.length > 0) heads.add(key);
    else jobs.push({ key, sha, ref: branch, fetch: `refs/merge-requests/${iid}/head` });
  }
  return jobs;
}

async function runJob(ci, project, job) {
  const title = `${project.path_with_namespace} ${job.ref.replace('refs/merge-requests/', '!')} ${job.sha.slice(0, 8)}`;
  const report = (state, description) =>
    persist(title, () =>
      api(ci, `/projects/${project.id}/statuses/${job.sha}`, {
        state,
        name: ci.name,
        description,
        ...(job.pipelineId === undefined ? { ref: job.ref } : { pipeline_id: job.pipelineId }),
      }),
    );
  const since = performance.now();
  try {
    const { pipeline_id: pipelineId = job.pipelineId } = await report('running');
    say(`${title}  running`);
    const repository = await persist(title, () => fetchRef(ci, project, job));
    if (repository === undefined) return say(`${title}  has moved on`);
    const variables = ci.command === undefined ? [] : await variablesOf(ci, project, pipelineId, title);
    const { passed, words } = await test(ci, repository, { ...job, variables }).catch((error) => {
      if (signal.aborted) throw error;
      return { passed: false, words: firstLine(error).slice(0, WORDS) };
    });
    await report(passed ? 'success' : 'failed', words);
    say(
      `${title}  ${passed ? 'success' : 'FAILED'} after ${((performance.now() - since) / 1_000).toFixed(1)} s (${words})`,
    );
  } catch (error) {
    // A car that has left or was rebuilt takes its pipeline along.
    if (!signal.aborted) say(`${title}  not reported: ${firstLine(error)}`);
  }
}

function firstLine({ stderr, message }) {
  return (stderr || message).trim().split('\n')[0];
}

/** What the pipeline gets; nothing where the user of the token may not read it, or the installation has no variables yet. */
async function variablesOf(ci, { id }, pipelineId, title) {
  if (pipelineId === undefined) return [];
  try {
    const variables = await persist(title, () => api(ci, `/projects/${id}/pipelines/${pipelineId}/ci_variables`));
    const hidden = variables.filter(({ value }) => value === null).map(({ key }) => key);
    if (hidden.length > 0) say(`${title}  without the hidden ${hidden.join(', ')}`);
    return variables;
  } catch (error) {
    if (!(error instanceof Refused) || ![403, 404].includes(error.status)) throw error;
    say(`${title}  without variables: ${firstLine(error)}`);
    return [];
  }
}

/**
 * Tries until it succeeds: an unfinished pipeline would hold its train up until its timeout. Only an answer that would be
 * the same again ends it, and so does a stop.
 */
async function persist(title, attempt) {
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof Refused && error.status < 500 && !PASSING.includes(error.status)) throw error;
      say(`${title}  ${firstLine(error)}; trying again`);
      await sleep(RETRY_MS, undefined, { signal });
    }
  }
}

/** Fetches what a job is about; undefined when the ref is no longer the commit that shall be tested, or is gone. */
async function fetchRef(ci, project, { key, sha, fetch: ref }) {
  const path = join(ci.work, key.replace(/[^\w-]+/g, '-'));
  const git = gitIn(ci, path);
  await promisify(execFile)('git', ['init', '-q', '--bare', path], { signal });
  const from = `${ci.url}/${project.path_with_namespace}.git`;
  try {
    await git('fetch', '-q', '--depth=1', '--no-tags', from, `+${ref}:refs/ci/tested`);
  } catch (error) {
    if (/couldn't find remote ref/.test(error.stderr)) return undefined;
    throw error;
  }
  return (await git('rev-parse', 'refs/ci/tested')).trim() === sha ? { path, git } : undefined;
}

function gitIn({ token }, path) {
  const credentials = Buffer.from(`mock-ci:${token}`).toString('base64');
  // Among the arguments the token would show in the list of processes.
  const env = {
    ...process.env,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${credentials}`,
  };
  return async (...args) =>
    (await promisify(execFile)('git', ['-C', path, ...args], { env, signal, maxBuffer: 1 << 26 })).stdout;
}

async function test({ command }, repository, { sha, ref, variables }) {
  try {
    return command === undefined
      ? await followFile(repository, sha)
      : await runCommand(command, repository, { sha, ref, variables });
  } finally {
    rmSync(repository.path, { recursive: true, force: true });
  }
}

async function followFile({ git }, sha) {
  const listed = await git('ls-tree', '--name-only', sha, '.mock-ci');
  const lines = listed.trim() === '' ? [] : (await git('cat-file', 'blob', `${sha}:.mock-ci`)).split('\n');
  const orders = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  if (!orders.some((order) => order.startsWith('sleep'))) orders.unshift(`sleep ${DEFAULT_SECONDS}`);
  for (const order of orders) {
    const seconds = /^sleep (\d+(?:\.\d+)?)$/.exec(order)?.[1];
    if (seconds !== undefined) await sleep(Number(seconds) * 1_000, undefined, { signal });
    else if (order === 'fail') return { passed: false, words: '.mock-ci says fail' };
    else return { passed: false, words: `.mock-ci: ${order.slice(0, 80)} is not known` };
  }
  return { passed: true, words: 'nothing to complain of' };
}

async function runCommand(command, { path, git }, { sha, ref, variables }) {
  const tree = join(path, 'tree');
  await git('worktree', 'add', '-q', '--detach', tree, sha);
  const child = spawn('sh', ['-c', command], {
    cwd: tree,
    env: {
      ...process.env,
      ...environmentOfVariables(variables, join(path, 'variables')),
      CI: 'true',
      CI_COMMIT_SHA: sha,
      CI_COMMIT_REF_NAME: ref,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  // The whole group: a shell that is killed leaves behind what it has started, which holds its output open.
  const end = () => {
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) process.kill(-child.pid);
  };
  const limit = setTimeout(end, COMMAND_LIMIT_MS);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  const lastLine = lastLineOf([child.stdout, child.stderr]);
  let failure = '';
  const code = await new Promise((settle) => {
    child.once('error', (error) => {
      failure = error.message;
    });
    child.once('close', settle);
  });
  clearTimeout(limit);
  signal.removeEventListener('abort', end);
  signal.throwIfAborted();
  const line = maskOf(variables)(failure || lastLine()).slice(0, 120);
  return { passed: code === 0, words: line || `exit code ${code ?? 'of a signal'}` };
}
