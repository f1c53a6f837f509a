import { hashPassword, isPassword } from './password';

test('a password is recognised by its digest, which is another each time', async () => {
  const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
  expect(one).not.toBe(two);
  expect(await isPassword('correct horse', one)).toBe(true);
  expect(await isPassword('incorrect horse', one)).toBe(false);
  expect(await isPassword('correct horse', 'nonsense')).toBe(false);
});
