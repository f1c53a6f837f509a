import { rangeOf } from './send-content';

it.each([
  [undefined, undefined],
  ['bytes=0-9', { start: 0, end: 9 }],
  ['bytes=5-', { start: 5, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['bytes=90-1000', { start: 90, end: 99 }],
  ['bytes=100-', 'outside'],
  ['bytes=-0', 'outside'],
  ['bytes=9-5', undefined],
  ['bytes=0-1,5-6', undefined],
  ['bytes=-', undefined],
  ['lines=0-1', undefined],
])('the range %s of 100 bytes', (header, range) => {
  expect(rangeOf(header, 100)).toEqual(range);
});

it('has no part of an empty file', () => {
  expect(rangeOf('bytes=0-', 0)).toBe('outside');
});
