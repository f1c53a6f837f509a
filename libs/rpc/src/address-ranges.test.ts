import { addressRanges, isWithin } from './address-ranges';

const ranges = addressRanges(['192.0.2.0/24', '2001:db8::/32', '198.51.100.7']);

describe('an address lies within ranges', () => {
  test.each([
    ['192.0.2.1', true],
    ['::ffff:192.0.2.1', true],
    ['192.0.3.1', false],
    ['::ffff:192.0.3.1', false],
    ['198.51.100.7', true],
    ['198.51.100.8', false],
    ['2001:db8:1::1', true],
    ['2001:db9::1', false],
    ['fe80::1%eth0', false],
    ['', false],
    ['unknown', false],
  ])('%p: %p', (ip, within) => expect(isWithin(ip, ranges)).toBe(within));

  test('and a host bit in a range does not count', () => {
    const all = addressRanges(['0.0.0.0/0']);
    expect([isWithin('10.9.9.9', addressRanges(['10.1.2.3/8'])), isWithin(undefined, all)]).toEqual([true, false]);
    expect([isWithin('10.9.9.9', all), isWithin('::1', all)]).toEqual([true, false]);
  });
});
