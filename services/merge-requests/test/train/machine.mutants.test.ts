import { mutants, mutated } from './mutants';
import { everySequence } from './sequences';

// Each oracle is worth what it finds: without one of its rules the machine breaks one of them.
test.each(mutants)('an oracle finds the machine out that does not know: $rule (D8)', (mutant) => {
  const { failure } = everySequence(mutated(mutant), 3_000, 120, false);
  expect(failure).toMatch(mutant.found);
});
