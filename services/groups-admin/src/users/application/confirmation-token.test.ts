import { confirmationTokens } from './confirmation-token';

test('a link of an old key is accepted until the key is gone', () => {
  const [old, next] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const confirmation = { id: 1, user_id: 2, email: 'ada@example.com' };
  const link = confirmationTokens(() => [old]).sign(confirmation);
  const changing = confirmationTokens(() => [next, old]);
  expect(changing.isOf(link, confirmation)).toBe(true);
  expect(changing.isOf(link, { ...confirmation, email: 'eve@example.com' })).toBe(false);
  const changed = confirmationTokens(() => [next]);
  expect(changed.isOf(link, confirmation)).toBe(false);
  expect(changed.isOf(changing.sign(confirmation), confirmation)).toBe(true);
});
