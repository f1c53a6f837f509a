import { Claims } from '@switchyard/protos/rpc/v1/identity';
import fc from 'fast-check';
import { UsedClaims } from './used-claims';

const inFiveMinutes = (): number => Date.now() / 1000 + 300;
const claims = (sequence: number, run = 'one', expiresAt = inFiveMinutes()) =>
  Claims.fromPartial({ run, sequence, expiresAt });
const kept = 1 << 20;

test('every number of a run is taken once, whatever the order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5_000 }), { maxLength: 500 }), (numbers) => {
      const used = new UsedClaims();
      const seen = new Set<number>();
      for (const number of numbers) {
        expect(used.take(claims(number))).toBe(!seen.has(number));
        seen.add(number);
      }
    }),
  );
});

test('a number far behind the newest is refused, whether it was taken or not, and one that is near is not', () => {
  const used = new UsedClaims();
  expect(used.take(claims(5))).toBe(true);
  for (const newest of [7 * kept + 12, 2 ** 40 + 3]) {
    expect(used.take(claims(newest))).toBe(true);
    expect([5, 6, newest - kept, newest - kept + 32].map((number) => used.take(claims(number)))).toEqual([
      false,
      false,
      false,
      false,
    ]);
    for (const number of [newest - kept + 33, newest - kept + 64, newest - 1, newest + 1]) {
      expect([used.take(claims(number)), used.take(claims(number))]).toEqual([true, false]);
    }
  }
});

test('runs are apart, and numbers begin at one', () => {
  const used = new UsedClaims();
  expect(used.take(claims(1, 'one'))).toBe(true);
  expect(used.take(claims(1, 'two'))).toBe(true);
  expect(used.take(claims(1, 'one'))).toBe(false);
  expect(used.take(claims(0, 'one'))).toBe(false);
});

test('a run is forgotten when its claims have expired, and no earlier; more are refused than are kept apart', () => {
  jest.useFakeTimers({ now: 1_000_000_000_000 });
  const used = new UsedClaims();
  const oneTooMany = () => used.take(claims(1, 'one too many'));
  for (let run = 0; run < 512; run += 1) expect(used.take(claims(1, `run ${run}`))).toBe(true);
  expect(oneTooMany).toThrow(expect.objectContaining({ kind: 'unavailable' }));
  jest.advanceTimersByTime(200_000);
  expect(used.take(claims(2, 'run 7'))).toBe(true);
  jest.advanceTimersByTime(100_000);
  expect(oneTooMany).toThrow(expect.objectContaining({ kind: 'unavailable' }));
  jest.advanceTimersByTime(1_000);
  expect(oneTooMany()).toBe(true);
  // The last claims of this run are good for longer.
  expect(used.take(claims(2, 'run 7'))).toBe(false);
  jest.useRealTimers();
});
