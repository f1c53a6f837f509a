import { transition } from '../../src/merge-trains/domain/merge-train';
import { everySequence } from './sequences';

test('3,000 random sequences: what lands was tested, in order, and no merge request is lost (D8)', () => {
  everySequence(transition, 3_000, 120);
});
