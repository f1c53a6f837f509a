import { eventually } from '@switchyard/testkit';
import { type Leased, workLeased } from './work-leased';

test('what failed is tried again after its pause, and not only at the next look for what others left', async () => {
  const waiting: Leased[] = [{ lease: 'first', attempt: 1 }];
  const tried: string[] = [];
  const ended: unknown[] = [];
  const working = workLeased<Leased, string>({
    name: 'work',
    maxAttempts: 2,
    leases: {
      claim: async () => waiting.shift(),
      extend: async () => true,
      release: async ({ attempt }, seconds) => {
        expect(seconds).toBe(0.05);
        setTimeout(() => waiting.push({ lease: 'second', attempt: attempt + 1 }), 40);
      },
    },
    async make({ lease }) {
      tried.push(lease);
      if (lease === 'first') throw new Error('away');
      return 'made';
    },
    end: async (_, outcome) => void ended.push(outcome),
    otherwise: 'it failed',
    judge: () => ({ isFinal: false, text: undefined, pause: 0.05 }),
  });
  await eventually(() => expect(ended).toEqual([{ file: 'made' }]), { within: 5_000 });
  expect(tried).toEqual(['first', 'second']);
  await working.close();
});
