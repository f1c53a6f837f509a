import { retrySeconds } from './retry';
import { titleOf } from './title';

test.each([0, 1, 5, 10])(
  '%i repeats take an hour, each interval twice the one before, and then it is given up',
  (retries) => {
    const intervals = Array.from({ length: retries }, (_, at) => retrySeconds(at + 1, retries) ?? Number.NaN);
    expect(retrySeconds(retries + 1, retries)).toBeUndefined();
    if (retries > 0) expect(intervals.reduce((sum, one) => sum + one, 0)).toBeCloseTo(3_600);
    for (const [at, one] of intervals.slice(1).entries()) expect(one).toBeCloseTo(2 * (intervals[at] ?? 0));
  },
);

test.each([
  [{ object_attributes: { title: 'A fault' }, ref: 'main' }, 'A fault'],
  [{ object_attributes: { note: 'x' }, merge_request: { title: 'Mend it' } }, 'Mend it'],
  [{ ref: 'refs/heads/main' }, 'refs/heads/main'],
  [{ object_attributes: { title: 'x'.repeat(300) } }, 'x'.repeat(255)],
  [{ object_attributes: { title: 7 } }, ''],
])('%j is called %s', (body, title) => expect(titleOf(JSON.stringify(body))).toBe(title));
