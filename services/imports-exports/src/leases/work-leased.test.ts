import { eventually } from '@switchyard/testkit';
import { type Leased, TurnOver, workLeased } from './work-leased';

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

/** Does the one piece of work that waits, until it has ended or is given back. */
async function worked(waiting: Leased[], make: (one: Leased, signal: AbortSignal) => Promise<string>) {
  const ended: unknown[] = [];
  const released: [string, number][] = [];
  const working = workLeased<Leased, string>({
    name: 'work',
    maxAttempts: 2,
    leases: {
      claim: async () => waiting.shift(),
      extend: async () => true,
      release: async ({ lease }, seconds) => void released.push([lease, seconds]),
    },
    make: (one, _, signal) => make(one, signal),
    end: async ({ lease }, outcome) => void ended.push([lease, outcome]),
    otherwise: 'it failed',
    judge: () => ({ isFinal: false, text: undefined, pause: 600 }),
  });
  await eventually(() => expect([...ended, ...released]).not.toEqual([]), { within: 5_000 });
  await working.close();
  return { ended, released };
}

test('what has had its turn is given back at once, and was no failure', async () => {
  const worn = worked([{ lease: 'worn', attempt: 2 }], () => Promise.reject(new TurnOver()));
  expect(await worn).toEqual({ ended: [], released: [['worn', 0]] });
});

test('what was asked for a day ago has failed, whatever it waits for', async () => {
  const since = (milliseconds: number) => new Date(Date.now() - 86_400_000 + milliseconds);
  const problem = 'it took more than 24 hours';
  const never = (_: Leased, signal: AbortSignal) =>
    new Promise<string>((_settle, refuse) => signal.addEventListener('abort', () => refuse(new Error('away'))));
  const under = [{ lease: 'under way', attempt: 1, askedAt: since(100) }];
  expect(await worked(under, never)).toEqual({ ended: [['under way', { problem }]], released: [] });
  let begun = 0;
  const made = async () => String(++begun);
  const late = [{ lease: 'late', attempt: 1, askedAt: since(0) }];
  expect(await worked(late, made)).toEqual({ ended: [['late', { problem }]], released: [] });
  expect(begun).toBe(0);
});
