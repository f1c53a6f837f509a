import { transition } from '../../src/domain/merge-train';
import { everySequence } from './sequences';

test('300 random sequences: what lands was tested, in order, and nobody is lost (D8)', () => {
  everySequence(transition, 300, 120);
});
