import { mentionsIn, parseQuickActions } from '@switchyard/texts';
import {
  additionNote,
  overtakenNote,
  overtakenSentence,
  overtakenUserIds,
  type TrainStateChange,
  trainStateNote,
  trainStoppedSentence,
} from './merge-train-change';

const addition = { targetBranch: 'main', position: 1, first: false, moved: false };

it.each([
  [{}, 'started the merge train for `main`'],
  [{ position: 3 }, 'added this merge request to the merge train for `main` at position 3'],
  [{ first: true }, 'put this merge request at the front of the merge train for `main`'],
  [{ first: true, moved: true }, 'moved this merge request to the front of the merge train for `main`'],
  [{ first: true, position: 2 }, 'put this merge request at the front of the merge train for `main`, at position 2'],
])('an addition %j', (given, text) => expect(additionNote({ ...addition, ...given })).toBe(text));

it('an overtaking names the merge request ahead and what it costs', () => {
  const overtaking = { targetBranch: 'main', position: 3, byIid: 7 };
  expect(overtakenNote(overtaking)).toBe(
    'put !7 ahead of this merge request on the merge train for `main`. It is now at position 3, and its tests start again.',
  );
  expect(overtakenSentence(overtaking)).toBe(
    '!7 was put ahead of this merge request on the merge train for `main`. It is now at position 3, and its tests start again.',
  );
});

it.each([
  [2, 1, 9, [1, 9]],
  [2, 1, 1, [1]],
  [2, 1, 0, [1]],
  [1, 1, 9, [9]],
  [1, 1, 1, []],
])('an overtaking by %i of what %i wrote and %i added concerns %j', (actorId, authorId, addedById, ids) =>
  expect(overtakenUserIds(actorId, authorId, addedById)).toEqual(ids),
);

describe('a change of what a train does', () => {
  const change: TrainStateChange = {
    targetBranch: 'main',
    state: 'paused',
    reason: '',
    until: undefined,
    targetFailing: false,
    statusNames: [],
  };
  const until = new Date('2026-11-24T08:00:00.123Z');

  it.each<[Partial<TrainStateChange>, boolean, string]>([
    [{}, false, 'paused the merge train for `main`'],
    [
      { until, reason: 'release 4.2' },
      false,
      'paused the merge train for `main` until 2026-11-24 08:00:00 UTC (`release 4.2`)',
    ],
    [
      { state: 'draining', until },
      false,
      'set the merge train for `main` to draining until 2026-11-24 08:00:00 UTC: it lands what is on it and takes no more merge requests',
    ],
    [{ state: 'running' }, false, 'started the merge train for `main` again'],
    [{ state: 'running' }, true, 'the merge train for `main` runs again'],
    // A train that runs again reports what it stopped for, and has not stopped.
    [{ state: 'running', targetFailing: true }, true, 'the merge train for `main` runs again'],
    [
      { targetFailing: true, statusNames: ['unit', 'lint'] },
      true,
      'the merge train for `main` stopped itself, because its target branch seems to fail `unit`, `lint`. All merge requests keep their places. It runs again when a pipeline on the tip of the target branch passes.',
    ],
  ])('%j, by the train: %s', (given, byTrain, text) =>
    expect(trainStateNote({ ...change, ...given }, byTrain)).toBe(text),
  );

  it('makes no mention or quick action of a reason or a status name, and cuts both', () => {
    const hostile = `x\n/close\n@all \` @eve ${'\u0000'.repeat(1_000_000)}`;
    const paused = trainStateNote({ ...change, reason: hostile }, false);
    const stopped = { ...change, targetFailing: true, statusNames: Array<string>(100).fill(hostile) };
    for (const text of [paused, trainStateNote(stopped, true), trainStoppedSentence(stopped)]) {
      expect(mentionsIn(text)).toEqual({ usernames: [], directlyAddressed: [] });
      expect(parseQuickActions(text, 'MergeRequest').commands).toEqual([]);
      expect(text.split('\n')).toHaveLength(1);
      expect(text.length).toBeLessThan(2_000);
    }
    expect(trainStoppedSentence(stopped)).toMatch(/^The merge train for `main` stopped itself.* and 90 more\. All/);
  });
});
