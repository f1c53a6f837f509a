import { unsubscribeTokens } from './unsubscribe-token';

test('a link of an old key is accepted until the key is gone', () => {
  const [old, next] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const link = { userId: 1, type: 'Issue', id: 2, iid: 3, projectId: 4 } as const;
  const token = unsubscribeTokens(() => [old]).sign(link);
  const changing = unsubscribeTokens(() => [next, old]);
  expect(changing.read(token)).toEqual(link);
  expect(changing.read(token.replace(/^1/, '7'))).toBeUndefined();
  const changed = unsubscribeTokens(() => [next]);
  expect(changed.read(token)).toBeUndefined();
  expect(changed.read(changing.sign(link))).toEqual(link);
});
