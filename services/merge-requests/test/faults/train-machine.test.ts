import { transition } from '../../src/merge-trains/domain/transition';
import { everySequence } from '../train/sequences';

jest.setTimeout(600_000);

test('10,000 random sequences: what lands was tested, in order, and no merge request is lost (D8)', () => {
  expect(everySequence(transition, 10_000, 200).failure).toBeUndefined();
});
