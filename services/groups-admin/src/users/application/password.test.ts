import { readFile } from 'node:fs/promises';
import { hashPassword, isPassword } from './password';

test('a password is recognised by its digest, which is another each time', async () => {
  const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
  expect(one).not.toBe(two);
  expect(await isPassword('correct horse', one)).toBe(true);
  expect(await isPassword('incorrect horse', one)).toBe(false);
  expect(await isPassword('correct horse', 'nonsense')).toBe(false);
});

test('many passwords at once leave a thread for files', async () => {
  let hashed = 0;
  const hashing = Array.from({ length: 8 }, () => hashPassword('correct horse').then(() => (hashed += 1)));
  await readFile(__filename);
  // Were all handed to the pool of four threads, this would be read after four of them at the earliest.
  expect(hashed).toBeLessThan(3);
  await Promise.all(hashing);
}, 60_000);
