import { readMapping, type WrittenMapping } from './payload-mapping';

const sample = {
  event: { name: 'Down', at: '2024-01-31T08:39:14Z', 'the.host': [{ name: 'a' }, { name: 'b' }] },
  kind: 5,
};

const written = (given: Partial<WrittenMapping>): WrittenMapping => ({
  field: 'title',
  path: ['event', 'name'],
  type: 'STRING',
  label: '',
  fallbackPath: [],
  ...given,
});

const without = { label: undefined, fallbackPath: undefined };

it('a mapping may be written in either case and spelling', () => {
  const { mapping, problems } = readMapping(
    [
      written({ field: 'TITLE', type: 'string', fallbackPath: ['kind'], label: 'Name' }),
      written({ field: 'gitlab_environment_name' }),
      written({ field: 'start_time', type: 'DATETIME', path: ['event', 'at'] }),
      written({ field: 'hosts', type: 'ARRAY', path: ['event', 'the.host'] }),
    ],
    sample,
  );
  expect(problems).toEqual([]);
  expect(mapping).toEqual([
    { field: 'title', path: ['event', 'name'], type: 'STRING', label: 'Name', fallbackPath: ['kind'] },
    { ...without, field: 'environment_name', path: ['event', 'name'], type: 'STRING' },
    { ...without, field: 'start_time', path: ['event', 'at'], type: 'DATETIME' },
    { ...without, field: 'hosts', path: ['event', 'the.host'], type: 'ARRAY' },
  ]);
});

it('every problem is reported at once', () => {
  expect(
    readMapping(
      [
        written({ path: ['nowhere'], fallbackPath: ['event', 'x'] }),
        written({ field: 'colour', type: 'BLOB' }),
        written({ field: 'title' }),
        written({ field: 'end_time', type: 'STRING', path: [], fallbackPath: ['kind'] }),
        written({ field: 'hosts', type: 'ARRAY' }),
        written({ field: 'start_time', type: 'DATETIME' }),
        written({ field: 'service', label: 'x'.repeat(256) }),
      ],
      sample,
    ).problems,
  ).toEqual([
    'title has a path that is not in the sample payload',
    'title has a fallback path that is not in the sample payload',
    'colour is no field that can be mapped',
    'colour has an unknown type',
    'title is mapped twice',
    'end_time must be of type DATETIME',
    'end_time has no path',
    'end_time cannot have a fallback path',
    'hosts has a path to a value that is no ARRAY',
    'start_time has a path to a value that is no DATETIME',
    'service has a label that is too long (maximum is 255 characters)',
  ]);
});

it.each([
  ['1767323045000', true],
  [1767323045000, true],
  [1767323045.5, true],
  ['2026-01-02T03:04:05+01:00', true],
  ['Fri, 02 Jan 2026 03:04:05 GMT', true],
  [null, true],
  // How Go writes "never": it is no timestamp.
  ['0001-01-01T00:00:00Z', true],
  ['0001-01-01 00:00:00 +0000 UTC', true],
  ['Jan 2 2026 03:04', false],
  ['2026-02-30', false],
  ['1', false],
  [-5, false],
  [12345678901234567890n, false],
  [true, false],
])('the mapping and the reader of payloads agree on the timestamp %p: %s', (value, isTimestamp) => {
  const { problems } = readMapping([written({ field: 'start_time', type: 'DATETIME', path: ['at'] })], { at: value });
  expect(problems).toEqual(isTimestamp ? [] : ['start_time has a path to a value that is no DATETIME']);
});
