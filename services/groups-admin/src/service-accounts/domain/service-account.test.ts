import { type AccountFacts, generatedUsername, isOf, requireAccount, sentencesOf } from './service-account';

const account: AccountFacts = {
  id: 1,
  username: 'robot',
  name: 'Robot',
  email: 'robot@noreply.forge.example',
  public_email: '',
  unconfirmed_email: null,
  user_type: 'service_account',
  group_id: 7,
};

test('generated names say whose account it is (G-4.5-9)', () => {
  const random = '0123456789abcdef0123456789abcdef';
  expect(generatedUsername({ groupId: 7 }, random)).toBe(`service_account_group_7_${random}`);
  expect(generatedUsername('instance', random)).toBe(`service_account_${random}`);
});

test('an account belongs to one group, or to the instance', () => {
  expect([isOf({ groupId: 7 }, account), isOf({ groupId: 8 }, account), isOf('instance', account)]).toEqual([
    true,
    false,
    false,
  ]);
  expect(isOf('instance', { ...account, group_id: null })).toBe(true);
  expect(() => requireAccount({ ...account, user_type: 'human' })).toThrow('not of type Service Account');
});

test('problems become sentences', () => {
  expect(sentencesOf({ username: ['has already been taken'], email: ['is invalid'] })).toEqual([
    'Username has already been taken',
    'Email is invalid',
  ]);
});
