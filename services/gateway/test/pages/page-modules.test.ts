import { pageOf, resolveAddress, segmentsOf } from '../../src/pages/trains/browser/address';
import { type Api, Refusal, secondsOf } from '../../src/pages/trains/browser/api';
import { followTrain, type Liveness, pauseAfter } from '../../src/pages/trains/browser/follow-train';
import { readEvents } from '../../src/pages/trains/browser/server-sent-events';
import { readSummaries, summaries } from '../../src/pages/trains/browser/train-summaries';
import {
  axisDuration,
  controlOf,
  duration,
  expected,
  linkTo,
  listOf,
  newsBetween,
  newsOf,
  relative,
  standingOf,
} from '../../src/pages/trains/browser/words';
import { busyTrain, car } from './train-scene';

const streamOf = (...pieces: (string | Uint8Array)[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces)
        controller.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
      controller.close();
    },
  });

describe('server-sent events', () => {
  it('are read whatever pieces they come in; comments are signs of life', async () => {
    const whole = new TextEncoder().encode(
      ': still here\n\nevent: train\ndata: {"t":"ä€"}\n\ndata: a\ndata: b\n\nevent: cut\ndata: x',
    );
    for (const size of [1, 2, 7, whole.length]) {
      const pieces: Uint8Array[] = [];
      for (let at = 0; at < whole.length; at += size) pieces.push(whole.slice(at, at + size));
      const got: unknown[] = [];
      let signs = 0;
      for await (const event of readEvents(streamOf(...pieces), () => {
        signs += 1;
      }))
        got.push(event);
      expect(got).toEqual([
        { name: 'train', data: '{"t":"ä€"}' },
        { name: 'message', data: 'a\nb' },
      ]);
      expect(signs).toBe(pieces.length);
    }
  });
});

describe('following a train', () => {
  it('connects again after each end, later each time, and begins anew after a view', async () => {
    const leaving = new AbortController();
    const seen: Liveness['kind'][] = [];
    let tries = 0;
    const api = {
      async open() {
        tries += 1;
        if (tries < 3) throw new Refusal(503, 0);
        return streamOf(`event: train\ndata: ${JSON.stringify({ n: tries })}\n\n`);
      },
    } as unknown as Api;
    const views: unknown[] = [];
    const network = new EventTarget();
    const follower = {
      onView(view: unknown) {
        views.push(view);
        if (views.length === 2) leaving.abort();
      },
      onLiveness(liveness: Liveness) {
        seen.push(liveness.kind);
        // Online again: no need to wait.
        if (liveness.kind === 'waiting') setImmediate(() => network.dispatchEvent(new Event('online')));
      },
      onRefused: () => undefined,
    };
    const since = Date.now();
    await followTrain({ api, path: '/x', follower, network }, leaving.signal);
    expect(Date.now() - since).toBeLessThan(600);
    expect(seen.slice(0, 7)).toEqual([
      'connecting',
      'waiting',
      'connecting',
      'waiting',
      'connecting',
      'live',
      'waiting',
    ]);
    expect(views).toEqual([{ n: 3 }, { n: 4 }]);
  });

  it.each([401, 403, 404])('ends where there is nothing to wait for: %i', async (status) => {
    const refusals: Refusal[] = [];
    const api = {
      open: async () => {
        throw new Refusal(status, 0);
      },
    } as unknown as Api;
    const follower = {
      onView: () => undefined,
      onLiveness: () => undefined,
      onRefused: (one: Refusal) => refusals.push(one),
    };
    await followTrain({ api, path: '/x', follower, network: new EventTarget() }, new AbortController().signal);
    expect(refusals.map((one) => one.status)).toEqual([status]);
  });

  it('waits twice as long each time, at most half a minute, spread, and as long as the server says', () => {
    expect([0, 1, 2, 3].map((failures) => pauseAfter(failures, 0, () => 1))).toEqual([500, 1_000, 2_000, 4_000]);
    expect(pauseAfter(50, 0, () => 1)).toBe(30_000);
    expect(pauseAfter(1, 0, () => 0)).toBe(500);
    expect(pauseAfter(0, 30, () => 1)).toBe(30_000);
    // A timer that is set for longer than 24 days fires at once.
    expect(pauseAfter(0, 1e9, () => 1)).toBe(3_600_000);
    expect(['7', '0', '', 'Sun, 22 Nov 2026 21:00:00 GMT', null].map(secondsOf)).toEqual([7, 0, 0, 0, 0]);
  });
});

describe('addresses', () => {
  const api = (known: string): Api =>
    ({
      async get(path: string) {
        if (path !== `/projects/${encodeURIComponent(known)}`) throw new Refusal(404, 0);
        return { body: { id: 1, path_with_namespace: known }, headers: new Headers() };
      },
    }) as unknown as Api;

  it.each([
    ['a/b', '/-/trains/a/b', undefined],
    ['a/b', '/-/trains/a/b/main', 'main'],
    ['a/b/c', '/-/trains/a/b/c/release/2.0', 'release/2.0'],
    ['a/b', '/-/trains/a/b/feature%2Fx%20y', 'feature/x y'],
  ])('%s in %s', async (known, pathname, branch) => {
    const address = await resolveAddress(api(known), segmentsOf(pathname, ''), new AbortController().signal);
    expect([address.project.path_with_namespace, address.branch]).toEqual([known, branch]);
  });

  it('one that names nothing is not found; any other refusal is passed on', async () => {
    const { signal } = new AbortController();
    await expect(resolveAddress(api('x/y'), ['a', 'b', 'c'], signal)).rejects.toMatchObject({ status: 404 });
    const away = { get: () => Promise.reject(new Refusal(503, 0)) } as unknown as Api;
    await expect(resolveAddress(away, ['a', 'b'], signal)).rejects.toMatchObject({ status: 503 });
  });

  it('are read, as trains are, by requests that end with the page', async () => {
    const { signal } = new AbortController();
    const signals: unknown[] = [];
    const api = {
      async get(path: string, one: unknown) {
        signals.push(one);
        if (path === '/projects/a%2Fb') throw new Refusal(404, 0);
        return { body: [], headers: new Headers() };
      },
    } as unknown as Api;
    await resolveAddress(api, ['a', 'b', 'c'], signal);
    await readSummaries(api, 1, signal);
    expect(signals).toEqual([signal, signal, signal, signal]);
    expect(signals.every((one) => one === signal)).toBe(true);
  });

  it('are written so that they are read back', () => {
    expect(pageOf('/under', 'a/b', 'feature/x?#%')).toBe('/under/-/trains/a/b/feature/x%3F%23%25');
    expect(segmentsOf('/under/-/trains/a/b/feature/x%3F%23%25', '/under').join('/')).toBe('a/b/feature/x?#%');
    expect(segmentsOf('/-/trains/a/%E0%A4%A', '')).toEqual(['a', '%E0%A4%A']);
  });
});

describe('words', () => {
  it.each([
    ['javascript:alert(1)', undefined],
    ['JAVASCRIPT:alert(1)', undefined],
    ['data:text/html,x', undefined],
    ['//evil.example', undefined],
    ['not an address', undefined],
    [null, undefined],
    ['https://ci.example/1', 'https://ci.example/1'],
    ['http://ci.example/1', 'http://ci.example/1'],
  ])('%s is followed: %s', (address, link) => expect(linkTo(address)).toBe(link));

  it('say how a car stands', () => {
    const words = busyTrain().entries.map((entry) => standingOf(entry as never));
    expect(words.map(({ word, detail }) => (detail === '' ? word : `${word}: ${detail}`))).toEqual([
      'Landing',
      'Testing: waits for e2e',
      'Failing: keeps its place until those ahead have landed',
      'Passed: waits for those ahead',
      ...Array(3).fill('Testing: waits for build, e2e'),
      'Queued: waits for a free place',
    ]);
    const older = { ...car(1, 1), waiting_for: undefined, failing: undefined } as never;
    expect(standingOf(older)).toMatchObject({ word: 'Testing', detail: '' });
  });

  it('say what has happened, once', () => {
    const { departures } = busyTrain();
    expect(newsOf(departures as never, departures as never)).toBe('');
    expect(newsOf(departures.slice(1) as never, departures as never)).toBe('!41: Landed.');
    expect(newsOf([], [...departures, ...busyTrain().departures.map((one) => ({ ...one, at: 'x' }))] as never)).toBe(
      '6 merge requests have landed or been removed.',
    );
  });

  it('name a rerun without its number: there are up to three', () => {
    const again = { ...car(1, 1), waiting_for: { reason: 'rerun', statuses: [] } } as never;
    expect(standingOf(again)).toMatchObject({ word: 'Rerun', detail: 'the same commit is tested again' });
  });

  it.each([
    ['running', null, 'running', 'Running'],
    ['paused', 'a release', 'paused', 'Paused'],
    ['paused', 'target_failing', 'stopped', 'Stopped: the target branch fails'],
    ['draining', null, 'draining', 'Draining'],
    ['winding_down', null, 'unknown', 'State: winding down'],
    ['constructor', null, 'unknown', 'State: constructor'],
  ])('say how a train is controlled: %s, %s', (state, reason, kind, title) => {
    expect(controlOf({ state, reason })).toMatchObject({ kind, title });
  });

  it('say whether the page is live and what stopped the train', () => {
    const view = { ...busyTrain(), departures: [] };
    const stopped = { ...view, control: { ...view.control, state: 'paused', reason: 'target_failing' } };
    const news = (before: object, isLive: boolean, now: object, isLiveNow: boolean) =>
      newsBetween({ view: before, isLive } as never, { view: now, isLive: isLiveNow } as never);
    expect(news(view, true, view, true)).toBe('');
    expect(news(view, true, view, false)).toBe('Not live.');
    expect(news(view, false, { ...view, departures: [busyTrain().departures[0]] }, true)).toBe(
      'Live again. !41: Landed.',
    );
    expect(news(view, true, stopped, true)).toBe('The train stopped itself: the target branch fails.');
  });

  it('say times and lists', () => {
    expect([5, 99, 100, 3_600, 7_500, 400_000].map(duration)).toEqual([
      '5 s',
      '99 s',
      '2 min',
      '60 min',
      '2 h 05 min',
      '4 d 15 h',
    ]);
    expect([0, 90_000, -600_000].map((ms) => relative(ms, 0))).toEqual(['now', 'in 90 s', '10 min ago']);
    expect([-90_000, 600_000].map((ms) => expected(ms, 0))).toEqual(['any moment', 'in 10 min']);
    expect([0, 1_800, 5_400].map(axisDuration)).toEqual(['0 min', '30 min', '1.5 h']);
    expect(listOf(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c and 2 more');
  });

  it('sum up the trains of a project', () => {
    const found = summaries(
      [car(1, 1), car(2, 2), car(3, 1, { target_branch: 'next' })] as never,
      [car(4, 1, { target_branch: 'old', merged_at: '2026-01-01' })] as never,
      false,
    );
    expect(found.map(({ branch, cars, landedAt }) => [branch, cars, landedAt])).toEqual([
      ['main', 2, undefined],
      ['next', 1, undefined],
      ['old', 0, '2026-01-01'],
    ]);
  });
});
