import { resolveAddress, segmentsOf } from './address.ts';
import { type Api, apiOf, Refusal } from './api.ts';
import { Page, type PageState } from './components/page.tsx';
import { type Follower, followTrain, pauseAfter } from './follow-train.ts';
import { h, render } from './libs/preact.js';
import type { Statistics, TrainView } from './representations.ts';
import { readSummaries } from './train-summaries.ts';
import { newsOf } from './words.ts';

const tokenKey = 'switchyard-token';
/** Milliseconds between two readings of the statistics, and between two of the clock. */
const statisticsMs = 300_000;
const clockMs = 5_000;
/** Milliseconds between two announcements: a busy train would never be silent. */
const newsMs = 5_000;

const root = document.getElementById('app') as HTMLElement;
const base = root.dataset.base ?? '';
let ending = new AbortController();
let drawing = false;
let failures = 0;
/** The view as a screen reader knows it, and whether an announcement is planned. */
let told: TrainView | undefined;
let isTelling = false;

let state: PageState = {
  base,
  now: Date.now(),
  hasToken: sessionStorage.getItem(tokenKey) !== null,
  problem: '',
  project: undefined,
  branch: undefined,
  trains: undefined,
  view: undefined,
  liveness: { kind: 'connecting' },
  viewedAt: 0,
  statistics: undefined,
  news: '',
};

/** Changes what is shown; changes of one turn are drawn together. */
function set(change: Partial<PageState>): void {
  state = { ...state, now: Date.now(), ...change };
  if (drawing) return;
  drawing = true;
  queueMicrotask(() => {
    drawing = false;
    render(<Page state={state} actions={actions} />, root);
  });
}

const actions = {
  onToken(token: string): void {
    sessionStorage.setItem(tokenKey, token);
    set({ hasToken: true, problem: '' });
    start();
  },
  onForget(): void {
    sessionStorage.removeItem(tokenKey);
    ending.abort();
    set({
      hasToken: false,
      problem: '',
      project: undefined,
      view: undefined,
      trains: undefined,
      statistics: undefined,
    });
  },
  onRetry: (): void => start(),
};

const problems: Readonly<Record<number, string>> = {
  403: 'Your role, your token, or the licence does not allow you to see this train.',
  404: 'There is no such project, or you may not see it.',
};

function refused(status: number): void {
  if (status === 401) {
    sessionStorage.removeItem(tokenKey);
    set({ hasToken: false, problem: 'The token is not valid, or no longer. Enter another one.', view: undefined });
    return;
  }
  const problem = problems[status];
  if (problem === undefined) tryLater();
  else set({ problem, view: undefined });
}

/** The server is away, or too busy, before anything could be followed. */
function tryLater(): void {
  const pause = pauseAfter(failures);
  failures += 1;
  set({ liveness: { kind: 'waiting', retryAt: Date.now() + pause } });
  const timer = setTimeout(start, pause);
  ending.signal.addEventListener('abort', () => clearTimeout(timer));
}

/** Says what has happened since the last time, not too often. */
function announce(view: TrainView): void {
  told ??= view;
  if (isTelling) return;
  isTelling = true;
  setTimeout(() => {
    const [before, now] = [told, state.view];
    isTelling = false;
    if (before === undefined || now === undefined) return;
    told = now;
    const control = before.control.state === now.control.state ? '' : `The train is ${now.control.state}. `;
    const news = `${control}${newsOf(before.departures, now.departures)}`.trim();
    if (news !== '') set({ news });
  }, newsMs);
}

const follower: Follower = {
  onView(view) {
    set({ view, viewedAt: Date.now() });
    announce(view);
  },
  onLiveness: (liveness) => set({ liveness }),
  onRefused: refused,
};

async function readStatistics(api: Api, train: string, signal: AbortSignal): Promise<void> {
  const read = async (): Promise<void> => {
    try {
      const { body } = await api.get<Statistics>(`${train}/statistics`, signal);
      set({ statistics: body });
    } catch {
      // A train that has none yet, or a server without them: the page does without.
    }
  };
  const timer = setInterval(() => void read(), statisticsMs);
  signal.addEventListener('abort', () => clearInterval(timer));
  await read();
}

async function show(token: string, signal: AbortSignal): Promise<void> {
  const segments = segmentsOf(location.pathname, base);
  if (segments.length < 2) {
    set({ problem: 'Add the path of a project to the address, such as /-/trains/group/project.' });
    return;
  }
  const api = apiOf(base, token);
  const { project, branch } = await resolveAddress(api, segments);
  if (signal.aborted) return;
  failures = 0;
  set({ project, branch });
  document.title = `${branch ?? project.path_with_namespace} · Merge trains`;
  if (branch === undefined) {
    set({ trains: await readSummaries(api, project.id) });
    return;
  }
  const train = `/projects/${project.id}/merge_trains/${encodeURIComponent(branch)}`;
  void readStatistics(api, train, signal);
  await followTrain({ api, path: `${train}/events`, follower, network: window }, signal);
}

function start(): void {
  ending.abort();
  ending = new AbortController();
  const { signal } = ending;
  const token = sessionStorage.getItem(tokenKey);
  if (token === null) return;
  show(token, signal).catch((error) => {
    if (!signal.aborted) refused(error instanceof Refusal ? error.status : 500);
  });
}

// A page that comes back from the browser's cache has no connection any more.
addEventListener('pageshow', ({ persisted }) => {
  if (persisted) start();
});
setInterval(() => {
  if (document.visibilityState === 'visible') set({});
}, clockMs);
set({});
start();
