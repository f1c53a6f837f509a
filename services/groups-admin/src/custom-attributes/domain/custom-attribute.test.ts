import { checkAttribute } from './custom-attribute';

const problemsOf = (key: string, value: string): unknown => {
  try {
    checkAttribute({ key, value });
    return undefined;
  } catch (error) {
    return (error as { body: { message: unknown } }).body.message;
  }
};

test('keys and values have up to 255 characters and something to read', () => {
  expect(problemsOf('k'.repeat(255), '😀'.repeat(255))).toBeUndefined();
  expect(problemsOf('k', 'two\nlines')).toBeUndefined();
  expect(problemsOf(' ', ' ')).toEqual({ key: ["can't be blank"], value: ["can't be blank"] });
  expect(problemsOf('k'.repeat(256), 'v'.repeat(256))).toEqual({
    key: ['is too long (maximum is 255 characters)'],
    value: ['is too long (maximum is 255 characters)'],
  });
  expect(problemsOf('two\nlines', 'v')).toHaveProperty('key');
});
