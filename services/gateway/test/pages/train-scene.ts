import { AppError, unavailable } from '@switchyard/errors';
import type { ResolveRequest } from '@switchyard/protos/groups_admin/v1/access';
import { ResolveResponse_TokenRefusal as Token } from '@switchyard/protos/groups_admin/v1/access';
import { type CallOptions, entity, page as pageOf } from '@switchyard/rpc';
import { projectAccess, resolved, startTestGateway } from '../support/gateway';

const at = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
const sha = (n: number): string => (n * 2_654_435_761).toString(16).padStart(8, '0').repeat(5).slice(0, 40);

const people = ['ada', 'grace', 'linus', 'margaret', 'edsger'];
const titles = [
  'Retry uploads that time out',
  'Show the owner of a build in its list',
  'Read the time zone from the profile',
  'Drop the cache of expired sessions',
  'Speed up the search of archived projects',
  'Explain refused invitations',
  'Sort releases by date',
  'Keep drafts across devices',
];

const user = (n: number) => {
  const username = people[n % people.length] as string;
  return { id: n, username, name: username, state: 'active', web_url: `https://forge.example/${username}` };
};

/** A car as the API shows it; `more` replaces fields. */
export const car = (iid: number, position: number, more: object = {}) => ({
  id: 1_000 + iid,
  merge_request: {
    id: iid,
    iid,
    title: titles[iid % titles.length],
    web_url: `https://forge.example/acme/web/-/merge_requests/${iid}`,
  },
  user: user(iid),
  pipeline: {
    id: 5_000 + iid,
    sha: sha(iid),
    status: 'running',
    web_url: `https://forge.example/acme/web/-/pipelines/${5_000 + iid}`,
  },
  created_at: at(-60 + position),
  target_branch: 'main',
  status: 'fresh',
  merged_at: null,
  position,
  failing: false,
  batch: null,
  expected_at: at(6 + position * 4),
  waiting_for: { reason: 'statuses', statuses: ['build', 'e2e'] },
  tested_sha: sha(iid),
  ...more,
});

const evidence = {
  tested_sha: sha(3),
  base_sha: sha(2),
  pipeline: { id: 5_003 },
  statuses: [
    { name: 'unit tests', target_url: 'https://ci.example/runs/77' },
    { name: 'lint', target_url: 'javascript:alert(1)' },
  ],
  reruns: 1,
};

/** A pipeline of a car with another status. */
const pipelineOf = (iid: number, status: string) => ({ pipeline: { ...car(iid, 1).pipeline, status } });

/** A train in which something of everything happens. */
export const busyTrain = () => {
  const batch = { id: 1_046, size: 3, merge_request_iids: [46, 47, 48] };
  const together = { batch, tested_sha: sha(48), pipeline: car(48, 7).pipeline };
  return {
    target_branch: 'main',
    control: { state: 'running', reason: null, until: null, updated_at: null, updated_by: null, probe: null },
    entries: [
      car(42, 1, { ...pipelineOf(42, 'success'), waiting_for: null, status: 'merging', expected_at: at(0) }),
      car(43, 2, { waiting_for: { reason: 'statuses', statuses: ['e2e'] } }),
      car(44, 3, {
        ...pipelineOf(44, 'failed'),
        failing: true,
        waiting_for: { reason: 'cars_ahead', statuses: [] },
        expected_at: null,
      }),
      car(45, 4, { ...pipelineOf(45, 'success'), waiting_for: { reason: 'cars_ahead', statuses: [] } }),
      car(46, 5, together),
      car(47, 6, together),
      car(48, 7, together),
      car(49, 8, { pipeline: null, tested_sha: null, waiting_for: { reason: 'place', statuses: [] } }),
    ],
    total: 8,
    departures: [
      { merge_request_iid: 41, title: titles[1], reason: 'merged', at: at(-4), sha: sha(41), evidence: null },
      { merge_request_iid: 39, title: titles[7], reason: 'pipeline_failed', at: at(-18), sha: sha(3), evidence },
      { merge_request_iid: 40, title: titles[0], reason: 'merged', at: at(-19), sha: sha(40), evidence: null },
    ],
  };
};

/** The figures of four weeks. */
export const statistics = () => {
  const days = Array.from({ length: 28 }, (_, n) => {
    const date = new Date(Date.now() - (27 - n) * 86_400_000);
    const landings = [0, 6].includes(date.getUTCDay()) ? n % 3 : 14 + ((n * 7) % 11);
    return {
      date: date.toISOString().slice(0, 10),
      landings,
      builds: Math.round(landings * 1.1),
      turnaround_p50: landings === 0 ? null : 1_900 + ((n * 997) % 1_100),
      turnaround_p95: landings === 0 ? null : 3_800 + ((n * 1_733) % 3_000),
      removals: n % 4 === 0 ? 1 : 0,
    };
  });
  return {
    target_branch: 'main',
    after: days[0]!.date,
    before: days[27]!.date,
    landings: days.reduce((sum, { landings }) => sum + landings, 0),
    turnaround: { p50: 2_280, p95: 5_400 },
    removals: [
      { reason: 'pipeline_failed', count: 6 },
      { reason: 'pushed', count: 1 },
    ],
    builds: 412,
    builds_per_landing: 1.08,
    paused_share: 0.012,
    flakes: [
      { name: 'e2e', count: 9 },
      { name: 'unit tests', count: 2 },
    ],
    failures: [
      { name: 'unit tests', count: 5 },
      { name: 'e2e', count: 1 },
    ],
    days,
  };
};

const project = {
  id: 1,
  path_with_namespace: 'acme/web',
  web_url: 'https://forge.example/acme/web',
  default_branch: 'main',
};

/** A token that is good until `revoked` says so. */
export const goodToken = 'glpat-page-reader-0001';

/** A gateway over one train, which a test changes. */
export async function trainScene(first: object = busyTrain()) {
  const state = { view: first, revoked: false, away: false, watched: 0 };
  let wake: (() => void)[] = [];
  const gateway = await startTestGateway({
    config: { SWITCHYARD_EXTERNAL_URL: 'http://localhost' },
    access: ({ token, target }: ResolveRequest) =>
      token !== goodToken || state.revoked
        ? resolved({ tokenRefusal: Token.TOKEN_REFUSAL_REVOKED, actor: undefined })
        : resolved({ access: ['acme/web', '1'].includes(target?.value ?? '') ? projectAccess() : undefined }),
    fakes: {
      'ProjectService/GetProject': async () => entity(project),
      'MergeTrainService/ListMergeTrainEntries': async ({ scope }: { scope: string }) =>
        pageOf(
          scope === 'complete'
            ? [car(7, 1, { target_branch: 'release/2.0', merged_at: at(-90) })]
            : [car(1, 1), car(2, 2), car(3, 1, { target_branch: 'next' })],
          { keyset: false, page: 1, perPage: 100, total: 3, hasNext: false },
        ),
      'MergeTrainService/WatchMergeTrain': async function* (_request: never, { signal }: CallOptions) {
        if (state.away) throw unavailable();
        state.watched += 1;
        for (;;) {
          yield entity(state.view);
          await new Promise<void>((settle) => {
            wake.push(settle);
            if (signal !== undefined) signal.onabort = () => settle();
          });
          if (signal?.aborted || state.away) throw new AppError('unavailable', undefined);
        }
      },
    },
  });
  const push = (): void => {
    for (const one of wake.splice(0)) one();
  };
  wake = [];
  return {
    gateway,
    url: `${gateway.url}/-/trains/acme/web/main`,
    state,
    show(view: object): void {
      state.view = view;
      push();
    },
    /** The service goes away, or comes back. */
    away(isAway: boolean): void {
      state.away = isAway;
      push();
    },
    close: () => gateway.close(),
  };
}
