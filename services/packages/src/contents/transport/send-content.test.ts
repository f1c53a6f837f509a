import { dispositionOf, rangeOf } from './send-content';

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

it.each([
  ['my-app_1.0+x.tar.gz', 'attachment; filename="my-app_1.0+x.tar.gz"'],
  ['linux/x86/app.tar', 'attachment; filename="app.tar"'],
  ['a~b@1"\r\n\'é', "attachment; filename*=UTF-8''a~b%401%22%0D%0A%27%C3%A9"],
])('the name of the file %j', (fileName, header) => {
  expect(dispositionOf(fileName)).toBe(header);
});
