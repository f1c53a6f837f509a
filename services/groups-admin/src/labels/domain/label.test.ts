import { parseColor, textColor } from '@switchyard/texts';
import { labelProblems } from './label';

test.each([
  ['#abc', '#aabbcc'],
  ['#A1B2C3', '#A1B2C3'],
  [' red ', '#ff0000'],
  ['RED', '#ff0000'],
  ['#12', undefined],
  ['reddish', undefined],
  ['constructor', undefined],
  ['', undefined],
])('the colour %p is %p', (given, expected) => {
  expect(parseColor(given)).toBe(expected);
});

test('text stands out from its background', () => {
  expect(textColor('#000000')).toBe('#FFFFFF');
  expect(textColor('#dc143c')).toBe('#FFFFFF');
  expect(textColor('#ffffff')).toBe('#1F1E24');
  expect(textColor('#f0e68c')).toBe('#1F1E24');
});

test('a title is one line of a comma-separated list', () => {
  expect(labelProblems({ title: 'a::b' })).toEqual({});
  expect(labelProblems({ title: ' ' })).toEqual({ title: ["can't be blank"] });
  expect(labelProblems({ title: 'a,b', color: 'x' })).toEqual({
    title: ['is invalid'],
    color: ['must be a valid color code'],
  });
  expect(labelProblems({ title: 'x'.repeat(256) })).toEqual({ title: ['is too long (maximum is 255 characters)'] });
});
