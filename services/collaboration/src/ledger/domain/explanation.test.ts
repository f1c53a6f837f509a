import { explain, nothingDecided } from './explanation';
import type { LedgerRow } from './ledger-entry';
import { objectKeyOf, targetOf } from './sent-entry';
import { wantedTarget } from './wanted-target';

const row: LedgerRow = {
  id: 1,
  createdAt: new Date(0),
  userId: 7,
  projectId: 5,
  groupId: 0,
  target: { type: 'Issue', id: 17, iid: 3 },
  event: 'new_note',
  channel: 'mail',
  decision: 'send',
  rule: 'watch',
  detail: 'watch (group)',
  address: '',
  fate: 'sent',
  attempts: 1,
  error: '',
};
const you = { subject: 'You', second: true };

it.each<[Partial<LedgerRow>, string]>([
  [{}, 'You got a mail about new_note, because you are watching; the level is watch (group). It was sent.'],
  [
    { decision: 'skip', rule: 'level', detail: 'disabled (project)', fate: 'not_sent' },
    'You got no mail about new_note, because the notification level is disabled (project).',
  ],
  [
    { decision: 'skip', rule: 'emails_disabled', detail: 'team', fate: 'not_sent' },
    'You got no mail about new_note, because mail is switched off in team.',
  ],
  [
    { decision: 'skip', rule: 'own_activity', detail: '', fate: 'not_sent' },
    'You got no mail about new_note, because it was your own doing.',
  ],
  [
    { decision: 'skip', rule: 'stopped', detail: '', fate: 'not_sent' },
    'You got no mail about new_note, because all mail about what happens was stopped.',
  ],
  [
    { rule: 'mention', detail: '', fate: 'refused', error: '550 no such user' },
    'You got a mail about new_note, because you are mentioned. The mail server refused it: 550 no such user',
  ],
  [
    { rule: 'participation', detail: '', fate: 'withheld', error: 'access' },
    'You got a mail about new_note, because you are taking part. It was withheld when it was to be sent: what it is about could not be read at that time.',
  ],
  [
    { channel: 'todo', rule: 'assigned', event: 'assigned', detail: '', fate: 'shown' },
    'You got a to-do about assigned, because the event asks for it: assigned.',
  ],
  [
    { decision: 'digest', detail: '', fate: 'queued', attempts: 0 },
    'You got a mail about new_note, because you are watching. It is part of the daily digest. It waits to be sent.',
  ],
])('says what was decided, why, and what became of it: %j', (given, expected) => {
  expect(explain({ ...row, ...given }, you)).toBe(expected);
});

it('speaks of others in the third person', () => {
  const ada = { subject: 'Ada', second: false };
  expect(explain(row, ada)).toMatch(/^Ada got a mail about new_note, because the user is watching/);
  expect(explain({ ...row, decision: 'skip', rule: 'own_activity', fate: 'not_sent' }, ada)).toContain(
    'their own doing',
  );
  expect(nothingDecided(ada)).toContain('decided for Ada');
});

it.each([
  ['Issue:17', { type: 'Issue', id: 17 }],
  ['AlertManagement::Alert:2', { type: 'AlertManagement::Alert', id: 2 }],
  ['#3', { type: 'Issue', path: '', iid: 3 }],
  ['team/app!7', { type: 'MergeRequest', path: 'team/app', iid: 7 }],
  ['Epic:4', { type: 'Epic', id: 4 }],
  ['team/sub&2', { type: 'Epic', path: 'team/sub', iid: 2 }],
  ['', undefined],
])('the target %j', (text, expected) => expect(wantedTarget(text)).toEqual(expected));

it.each(['Issue', 'issue:1', '3', 'a b#1', '#x', '&2', 'team&', 'team&x', 'User:1'])('%j is no target', (text) =>
  expect(() => wantedTarget(text)).toThrow('target is invalid'),
);

it.each([
  ['issue:17', { type: 'Issue', id: 17 }],
  ['merge_request:3', { type: 'MergeRequest', id: 3 }],
  ['deployment:4', { type: 'deployment', id: 4 }],
  ['ref:1:refs/heads/main', { type: 'ref', id: undefined }],
  ['', { type: undefined, id: undefined }],
])('what was sent about %j is named as mail about it is', (key, expected) => {
  expect(targetOf(key)).toEqual(expected);
  if (expected.id !== undefined) expect(objectKeyOf(expected.type, expected.id)).toBe(key);
});
