import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '@switchyard/testkit';
import type { TrainKey, TrainMarks } from '../domain/merge-train-view';
import { type MergeTrainFeedEdges, mergeTrainFeed } from './merge-train.feed';

const main: TrainKey = { projectId: 1, targetBranch: 'main' };

/** A feed over one train in memory. */
function scene(limits: Parameters<typeof mergeTrainFeed>[1] = {}) {
  const state = { text: 'a', reads: 0, marks: [] as TrainMarks[], failure: undefined as Error | undefined };
  let notify: (trainId?: number) => void = () => undefined;
  const edges: MergeTrainFeedEdges = {
    async render() {
      state.reads += 1;
      await pause(1);
      if (state.failure !== undefined) throw state.failure;
      return Buffer.from(state.text);
    },
    marks: async () => state.marks,
    onChange: (onChange) => {
      notify = onChange;
      return () => undefined;
    },
  };
  const feed = mergeTrainFeed(edges, { debounceMs: 20, sweepMs: 10_000, ...limits });
  function watch(key = main) {
    const leaving = new AbortController();
    const got: string[] = [];
    const ended = (async () => {
      for await (const one of feed.watch(key, leaving.signal)) got.push(String(one));
      return 'ended';
    })().catch((error) => error);
    return { got, ended, leave: () => leaving.abort() };
  }
  return { state, feed, watch, notify: (trainId?: number) => notify(trainId) };
}

it('sends the train, and again after a change of its rendering, with one reading for all who watch it (8)', async () => {
  const { state, feed, watch, notify } = scene();
  const watchers = Array.from({ length: 50 }, () => watch());
  await eventually(() => expect(watchers.every(({ got }) => got.join() === 'a')).toBe(true));
  expect([state.reads, feed.watched()]).toEqual([1, 1]);
  state.text = 'b';
  for (let n = 0; n < 100; n += 1) notify();
  await eventually(() => expect(watchers.every(({ got }) => got.join() === 'a,b')).toBe(true));
  expect(state.reads).toBe(2);
  notify();
  await eventually(() => expect(state.reads).toBe(3));
  await pause(20);
  expect(watchers.every(({ got }) => got.join() === 'a,b')).toBe(true);
  for (const { leave } of watchers) leave();
  expect(await Promise.all(watchers.map(({ ended }) => ended))).toEqual(watchers.map(() => 'ended'));
  expect(feed.watched()).toBe(0);
  notify();
  await pause(40);
  expect(state.reads).toBe(3);
});

it('a change while it is read is read after it', async () => {
  const { state, watch, notify } = scene({ debounceMs: 5 });
  const { got, leave } = watch();
  await eventually(() => expect(got).toEqual(['a']));
  notify();
  const read = state.reads;
  await eventually(() => expect(state.reads).toBe(read + 1), { every: 0 } as never);
  state.text = 'b';
  notify();
  await eventually(() => expect(got).toEqual(['a', 'b']));
  leave();
});

it('notices name their train; a lost one is found, and so is a train that is made (G-4.1)', async () => {
  const { state, feed, watch, notify } = scene({ sweepMs: 20 });
  const sweeping = feed.start();
  const { got, leave } = watch();
  await eventually(() => expect(got).toEqual(['a']));
  state.text = 'made';
  state.marks = [{ ...main, trainId: 7, mark: '1' }];
  await eventually(() => expect(got).toEqual(['a', 'made']));
  state.text = 'unnoticed';
  state.marks = [{ ...main, trainId: 7, mark: '2' }];
  await eventually(() => expect(got).toEqual(['a', 'made', 'unnoticed']));
  await pause(60);
  const { reads } = state;
  notify(8);
  await pause(60);
  expect(state.reads).toBe(reads);
  notify(7);
  await eventually(() => expect(state.reads).toBe(reads + 1));
  leave();
  await sweeping.close();
});

it('the number of watched trains is bounded; one more watcher of a watched train is not', async () => {
  const { feed, watch } = scene({ trains: 2 });
  const [one, two] = [watch(), watch({ ...main, targetBranch: 'next' })];
  const refused = watch({ ...main, targetBranch: 'third' });
  expect(await refused.ended).toMatchObject({ kind: 'unavailable' });
  const again = watch();
  await eventually(() => expect(again.got).toEqual(['a']));
  for (const { leave } of [one, two, again]) leave();
  await Promise.all([one.ended, two.ended, again.ended]);
  expect(feed.watched()).toBe(0);
});

it('the branches of one project, made up or not, leave the places of the others free', async () => {
  const { feed, watch } = scene({ trains: 4, ofProject: 2 });
  const watched = [watch(), watch({ ...main, targetBranch: 'next' })];
  const refused = watch({ ...main, targetBranch: 'third' });
  expect(await refused.ended).toMatchObject({ kind: 'unavailable' });
  watched.push(watch({ ...main, projectId: 2 }), watch());
  for (const { got } of watched) await eventually(() => expect(got).toEqual(['a']));
  for (const { leave } of watched) leave();
  await Promise.all(watched.map(({ ended }) => ended));
  expect(feed.watched()).toBe(0);
});

it('a train that cannot be read ends its watches with the failure, and the next watch reads it anew', async () => {
  const { state, feed, watch, notify } = scene();
  const first = watch();
  await eventually(() => expect(first.got).toEqual(['a']));
  state.failure = new Error('the database is away');
  notify();
  expect(await first.ended).toBe(state.failure);
  expect(feed.watched()).toBe(0);
  state.failure = undefined;
  const second = watch();
  await eventually(() => expect(second.got).toEqual(['a']));
  feed.drain();
  expect(await second.ended).toBe('ended');
  expect(await watch().ended).toBe('ended');
});

it('10,000 that watch and leave at once leave nothing behind', async () => {
  const { feed, watch } = scene();
  const all = Array.from({ length: 10_000 }, () => watch());
  for (const { leave } of all) leave();
  await Promise.all(all.map(({ ended }) => ended));
  expect(feed.watched()).toBe(0);
});
