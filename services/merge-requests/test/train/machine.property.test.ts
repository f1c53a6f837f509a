import { transition } from '../../src/merge-trains/domain/transition';
import { everySequence } from './sequences';

// 15 s of one core; the test's own minute is not enough beside much else.
jest.setTimeout(240_000);

/** What the oracles are about, and how often it happens at least in 3,000 sequences. */
const often: Readonly<Record<string, number>> = {
  'opened for 2': 2_000,
  'opened for 3': 800,
  'opened for 4': 500,
  'opened for 5': 50,
  'batch failed': 700,
  'merged in a batch': 3_000,
  'landing failed': 500,
  settled: 50,
  crash: 100,
  rerun: 1_500,
  flaked: 300,
  held: 2_000,
  'removed: pipeline_failed': 1_000,
  'removed: conflict': 700,
  'removed: timeout': 50,
  'removed: pipeline_canceled': 10,
  'stopped itself': 100,
  'probe opened': 120,
  'probe passed': 40,
  'control: paused': 1_000,
  'control: draining': 400,
  first: 800,
  deleted: 150,
  outdated: 100,
};

test('3,000 random sequences: what lands was tested, in order, and no merge request is lost (D8)', () => {
  const { counts, failure } = everySequence(transition, 3_000, 120);
  expect(failure).toBeUndefined();
  const rare = Object.entries(often).filter(([what, least]) => (counts.get(what) ?? 0) < least);
  expect(rare.map(([what]) => [what, counts.get(what)])).toEqual([]);
});
