import { type RecipientFacts, recipientOf } from './recipient';

const user = {
  name: 'Ada',
  active: true,
  bot: false,
  email: 'ada@x.example',
  confirmed: ['ada@x.example', 'Work@x.example'],
};
const facts: RecipientFacts = {
  silenced: false,
  address: undefined,
  user,
  allowed: true,
  heedsLevel: true,
  setting: { level: 'participating', email: undefined },
};
const to = (address: string, name = 'Ada') => ({ to: { name, address } });

it.each<[string, Partial<RecipientFacts>, object]>([
  ['a user', {}, to('ada@x.example')],
  ['the address chosen for the place', { setting: { level: 'watch', email: 'work@x.example' } }, to('Work@x.example')],
  [
    'the primary address where the chosen one is no longer confirmed',
    { setting: { level: 'watch', email: 'old@x.example' } },
    to('ada@x.example'),
  ],
  ['a bare address', { address: 'one@out.example', user: undefined }, to('one@out.example', '')],
  [
    'a bare address of a silenced place',
    { address: 'one@out.example', silenced: true },
    { dropped: 'emails_disabled' },
  ],
  ['a silenced place', { silenced: true }, { dropped: 'emails_disabled' }],
  ['a user who is gone', { user: undefined }, { dropped: 'inactive' }],
  ['a blocked user', { user: { ...user, active: false } }, { dropped: 'inactive' }],
  ['a bot', { user: { ...user, bot: true } }, { dropped: 'inactive' }],
  ['who lost the role', { allowed: false }, { dropped: 'access' }],
  ['who wants no mail', { setting: { level: 'disabled', email: undefined } }, { dropped: 'level' }],
  [
    'who wants none, of a mail that is for all',
    { heedsLevel: false, setting: { level: 'disabled', email: undefined } },
    to('ada@x.example'),
  ],
  ['who has no address', { user: { ...user, email: '', confirmed: [] } }, { dropped: 'no_address' }],
])('a mail to %s', (_name, given, expected) => {
  expect(recipientOf({ ...facts, ...given })).toEqual(expected);
});
