import { resolveAddress, segmentsOf } from './address.ts';
import { type Api, apiOf, Refusal } from './api.ts';
import { Page, type PageState } from './components/page.tsx';
import { type Follower, followTrain, pauseAfter } from './follow-train.ts';
import { h, render } from './libs/preact.js';
import type { Statistics } from './representations.ts';
import { readSummaries } from './train-summaries.ts';
import { newsBetween, type Spoken } from './words.ts';

const tokenKey = 'switchyard-token';
/** Milliseconds between two readings of the statistics, and between two of the clock. */
const statisticsMs = 300_000;
const clockMs = 5_000;
/** Milliseconds between two announcements: a busy train would never be silent. */
const newsMs = 5_000;

const title = document.title;
const root = document.getElementById('app') as HTMLElement;
const base = root.dataset.base ?? '';
let ending = new AbortController();
let drawing = false;
let failures = 0;
/** The view as a screen reader knows it, and the timer of the planned news. */
let spokenView: Spoken | undefined;
let newsPlanned: ReturnType<typeof setTimeout> | undefined;
/** The element that gets the focus once it is drawn. */
let focusNext: string | undefined;

/** What is shown before anything was read, and after the right to read it is gone. */
const nothing = {
  problem: '',
  canRetry: false,
  project: undefined,
  branch: undefined,
  trains: undefined,
  view: undefined,
  liveness: { kind: 'connecting' },
  viewedAt: 0,
  statistics: undefined,
  news: '',
} as const satisfies Partial<PageState>;

let state: PageState = {
  ...nothing,
  base,
  now: Date.now(),
  hasToken: sessionStorage.getItem(tokenKey) !== null,
};

/** Changes what is shown; changes of one turn are drawn together. */
function set(change: Partial<PageState>): void {
  state = { ...state, now: Date.now(), ...change };
  if (drawing) return;
  drawing = true;
  queueMicrotask(() => {
    drawing = false;
    render(<Page state={state} actions={actions} />, root);
    if (focusNext !== undefined) document.getElementById(focusNext)?.focus();
    focusNext = undefined;
  });
}

/** Ends all requests and timers, and shows nothing of what was read. */
function clear(change: Partial<PageState>): void {
  ending.abort();
  clearTimeout(newsPlanned);
  newsPlanned = undefined;
  spokenView = undefined;
  document.title = title;
  set({ ...nothing, ...change });
}

/** Drops the token, and asks for another one. */
function forget(problem: string): void {
  sessionStorage.removeItem(tokenKey);
  focusNext = 'token';
  clear({ hasToken: false, problem });
}

const actions = {
  onToken(token: string): void {
    sessionStorage.setItem(tokenKey, token);
    focusNext = 'main';
    start();
  },
  onForget: (): void => forget(''),
  onRetry(): void {
    // The button goes away when it is used.
    focusNext = 'main';
    start();
  },
};

const problems: Readonly<Record<number, string>> = {
  400: 'This address names no project, or no branch.',
  403: 'Your role, your token, or the licence does not allow you to see this train.',
  404: 'There is no such project, or you may not see it.',
};

function refused(refusal: Refusal): void {
  if (refusal.status === 401) {
    forget('The token is not valid, or no longer. Enter another one.');
    return;
  }
  const problem = problems[refusal.status];
  if (problem === undefined) tryLater(refusal.retryAfter);
  else clear({ problem, canRetry: true });
}

/** The server is away, or too busy, before anything could be followed. */
function tryLater(retryAfter: number): void {
  const pause = pauseAfter(failures, retryAfter);
  failures += 1;
  set({ liveness: { kind: 'waiting', retryAt: Date.now() + pause } });
  const timer = setTimeout(start, pause);
  ending.signal.addEventListener('abort', () => clearTimeout(timer));
}

const spokenNow = (): Spoken | undefined =>
  state.view === undefined ? undefined : { view: state.view, isLive: state.liveness.kind === 'live' };

/** Notifies a screen reader of what has changed since the last time, not too often: what lasted for less is left out. */
function planNews(): void {
  spokenView ??= spokenNow();
  if (spokenView === undefined || newsPlanned !== undefined) return;
  newsPlanned = setTimeout(() => {
    const [before, now] = [spokenView, spokenNow()];
    newsPlanned = undefined;
    if (before === undefined || now === undefined) return;
    spokenView = now;
    const news = newsBetween(before, now);
    if (news !== '') set({ news });
  }, newsMs);
}

const follower: Follower = {
  onView(view) {
    failures = 0;
    set({ view, viewedAt: Date.now() });
  },
  onLiveness(liveness) {
    set({ liveness });
    planNews();
  },
  onRefused: refused,
};

async function readStatistics(api: Api, train: string, signal: AbortSignal): Promise<void> {
  const read = async (): Promise<void> => {
    try {
      const { body } = await api.get<Statistics>(`${train}/statistics`, signal);
      if (!signal.aborted) set({ statistics: body });
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
  const { project, branch } = await resolveAddress(api, segments, signal);
  if (signal.aborted) return;
  set({ project, branch });
  document.title = `${branch ?? project.path_with_namespace} · ${title}`;
  if (branch === undefined) {
    const trains = await readSummaries(api, project.id, signal);
    if (signal.aborted) return;
    failures = 0;
    set({ trains });
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
  if (token === null) {
    // A page that comes back from the cache of the browser shows a train whose token was dropped on another page.
    if (state.hasToken) forget('');
    return;
  }
  set({ hasToken: true, problem: '', canRetry: false, liveness: { kind: 'connecting' } });
  show(token, signal).catch((error) => {
    if (!signal.aborted) refused(error instanceof Refusal ? error : new Refusal(500, 0));
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
