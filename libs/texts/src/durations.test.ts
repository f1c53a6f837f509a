import { humanTime, parseDuration } from './durations';

test.each<[string, number | undefined]>([
  ['3h30m', 12_600],
  ['3h 30m', 12_600],
  ['1mo', 576_000],
  ['1w', 144_000],
  ['2d', 57_600],
  ['1.5h', 5_400],
  ['1 hour 2 minutes', 3_720],
  ['2', 7_200],
  ['-1h', -3_600],
  ['10s', 10],
  ['0', 0],
  ['', undefined],
  ['h', undefined],
  ['3x', undefined],
  ['1h!', undefined],
  ['- -1h', undefined],
  ['9999999999mo', undefined],
])('%j is %p seconds', (text, seconds) => {
  expect(parseDuration(text)).toBe(seconds);
});

test('durations come back from how they are printed', () => {
  for (const seconds of [1, 59, 3_600, 12_660, 576_061, -3_600]) {
    expect(parseDuration(humanTime(seconds) ?? '')).toBe(seconds);
  }
  expect(humanTime(0)).toBeNull();
});
