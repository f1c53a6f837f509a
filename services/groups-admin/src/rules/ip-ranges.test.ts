import { rangeProblems, writtenRanges } from './ip-ranges';

describe('ip_restriction_ranges (G-4.15-6)', () => {
  test.each([
    [null],
    [''],
    ['192.0.2.1'],
    ['192.0.2.0/24'],
    ['0.0.0.0/0'],
    ['::/0'],
    ['2001:db8::/32, 192.0.2.7 ,'],
    [Array.from({ length: 500 }, (_, at) => `10.0.${at % 256}.${Math.floor(at / 256)}`).join(',')],
  ])('%p is taken', (list) => expect(rangeProblems(list)).toEqual([]));

  test.each([
    '192.0.2.256',
    '192.0.2',
    '192.0.2.0/33',
    '192.0.2.0/-1',
    '192.0.2.0/08',
    '192.0.2.0/',
    '192.0.2.0/255.255.255.0',
    '2001:db8::/129',
    'fe80::1%eth0',
    'example.com',
    '10.0.0.0/8/8',
    '10.0.0.1-10.0.0.9',
  ])('%p is named as wrong', (range) =>
    expect(rangeProblems(`10.0.0.1,${range}`)).toEqual([`${range} is an invalid IP address range`]),
  );

  test('more than 500 are too many, and of many wrong ones ten are named', () => {
    expect(rangeProblems(Array.from({ length: 501 }, (_, at) => `10.${at % 2}.0.${at}`).join(','))).toEqual([
      'is too long (maximum is 500 ranges)',
    ]);
    expect(rangeProblems(Array.from({ length: 50 }, (_, at) => `x${at}`).join(','))).toHaveLength(10);
  });

  test('is stored without blanks and repetitions', () => {
    expect(writtenRanges(' 10.0.0.1 , 10.0.0.1,,::1')).toBe('10.0.0.1,::1');
    expect(writtenRanges(' , ')).toBeNull();
  });
});
