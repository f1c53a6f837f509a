import { defaultSetting, type StoredSetting } from '../../notification-settings';
import { audiences } from './audience';
import { concernedIds, type DecisionFacts, decide, type People } from './decide';
import type { Action, EventFacts } from './notification-event';

const actor = 1;
const author = 2;
const assignee = 3;
const reviewer = 4;
const participant = 5;
const mentioned = 6;
const subscriber = 7;
const unsubscribed = 8;
const watcher = 9;
const chooser = 10;
const added = 11;
const removed = 12;
const owner = 13;
const member = 14;

const people: People = {
  authorId: author,
  assigneeIds: [assignee],
  reviewerIds: [reviewer],
  participantIds: [author, assignee, reviewer, participant, unsubscribed, actor],
  subscribedIds: [subscriber],
  unsubscribedIds: [unsubscribed],
  mentionedIds: [mentioned],
  memberIds: [],
};

const everywhere = { projectId: 0, groupId: 0 };
const setting = (userId: number, given: Partial<StoredSetting>): StoredSetting => ({
  userId,
  ...everywhere,
  ...defaultSetting(everywhere),
  ...given,
});

const facts: EventFacts = {
  title: 'T',
  assigned: [added],
  unassigned: [removed],
  reviewRequested: [],
  approvers: [],
};

interface Given {
  action: Action;
  facts?: Partial<EventFacts>;
  people?: Partial<People>;
  settings?: StoredSetting[];
  readers?: (id: number) => boolean;
  silencedBy?: string;
  recipients?: DecisionFacts['recipients'];
}

const everybody = Array.from({ length: 14 }, (_, at) => at + 1);

function decided(given: Given) {
  const event = {
    action: given.action,
    subject: { type: 'Issue', id: 17, iid: 3, projectId: 5 } as const,
    actorId: actor,
    facts: { ...facts, ...given.facts },
    occurredAt: new Date(0),
  };
  const all = { ...people, ...given.people };
  const settings = given.settings ?? [
    setting(watcher, { level: 'watch' }),
    setting(chooser, { level: 'custom', events: { [audiences[given.action].flag ?? 'new_note']: true } }),
  ];
  const ids = [...new Set([...concernedIds(event, all), ...settings.map(({ userId }) => userId)])].sort(
    (a, b) => a - b,
  );
  return decide({
    event,
    people: all,
    groupIds: [1],
    settings,
    recipients:
      given.recipients ??
      ids.map((id) => ({ id, active: true, bot: false, email: `u${id}@x.example`, confirmed: [`u${id}@x.example`] })),
    readers: new Set(everybody.filter(given.readers ?? (() => true))),
    silencedBy: given.silencedBy,
  });
}

const sent = (given: Given): number[] =>
  decided(given)
    .filter(({ outcome }) => outcome !== 'none')
    .map(({ userId }) => userId);
const one = (given: Given, userId: number) => decided(given).find((decision) => decision.userId === userId);

const taking = [author, assignee, reviewer, participant];
const none = { assigned: [], unassigned: [] };

describe('who gets a mail about an event (api.md section 2)', () => {
  it.each<[Action, number[], Partial<EventFacts>?]>([
    ['new_note', [...taking, mentioned, subscriber, watcher, chooser], none],
    ['close_issue', [...taking, mentioned, subscriber, watcher, chooser], none],
    ['reopen_issue', [...taking, mentioned, subscriber, watcher, chooser], none],
    ['close_merge_request', [...taking, mentioned, subscriber, watcher, chooser], none],
    ['reopen_merge_request', [...taking, mentioned, subscriber, watcher, chooser], none],
    ['merge_merge_request', [...taking, mentioned, subscriber, watcher, chooser], none],
    ['merge_when_pipeline_succeeds', [...taking, mentioned, subscriber, watcher, chooser], none],
    ['reassign_issue', [...taking, mentioned, subscriber, watcher, chooser, added, removed]],
    ['reassign_merge_request', [...taking, mentioned, subscriber, watcher, chooser, added, removed]],
    [
      'change_reviewer_merge_request',
      [...taking, mentioned, subscriber, watcher, chooser, added, removed],
      { ...none, reviewRequested: [added], reviewRemoved: [removed] },
    ],
    ['new_issue', [mentioned, subscriber, watcher, chooser, added], { unassigned: [] }],
    ['new_merge_request', [mentioned, subscriber, watcher, chooser, added], { unassigned: [] }],
    ['push_to_merge_request', [...taking, mentioned, subscriber, chooser], none],
    ['issue_due', [...taking, mentioned, subscriber, chooser], none],
    ['approver', [mentioned, chooser, added], { ...none, approvers: [added] }],
    ['mention_in_note', [mentioned], none],
    ['mention_in_issue', [mentioned], none],
    ['mention_in_merge_request', [mentioned], none],
    ['approve_merge_request', [...taking, mentioned, subscriber, watcher], none],
    ['unapprove_merge_request', [...taking, mentioned, subscriber, watcher], none],
    ['move_issue', [...taking, mentioned, subscriber, watcher], none],
    ['new_epic', [mentioned, subscriber, watcher, chooser], none],
    ['close_epic', [...taking, mentioned, subscriber, watcher], none],
    ['reopen_epic', [...taking, mentioned, subscriber, watcher], none],
    ['mention_in_epic', [mentioned], none],
    ['merge_request_unmergeable', [mentioned, author], { ...none, concerned: [author] }],
    ['merge_train_removed', [mentioned, author, added], { ...none, concerned: [author, added] }],
  ])('%s', (action, expected, given = {}) => {
    expect(sent({ action, facts: given })).toEqual(expected.sort((a, b) => a - b));
  });

  const nobody = {
    authorId: 0,
    assigneeIds: [],
    reviewerIds: [],
    participantIds: [],
    subscribedIds: [],
    mentionedIds: [],
  };
  it.each<[Action, StoredSetting['level'], StoredSetting['events'], boolean]>([
    ['failed_pipeline', 'participating', {}, true],
    ['failed_pipeline', 'watch', {}, true],
    ['failed_pipeline', 'mention', {}, false],
    ['failed_pipeline', 'disabled', {}, false],
    ['failed_pipeline', 'custom', {}, true],
    ['failed_pipeline', 'custom', { failed_pipeline: false }, false],
    ['fixed_pipeline', 'participating', {}, true],
    ['fixed_pipeline', 'custom', {}, true],
    ['success_pipeline', 'participating', {}, false],
    ['success_pipeline', 'watch', {}, false],
    ['success_pipeline', 'custom', {}, false],
    ['success_pipeline', 'custom', { success_pipeline: true }, true],
  ])('%s goes to its owner at %s with %j: %s (G-4.11-3)', (action, level, events, expected) => {
    const given = { action, people: nobody, facts: { ...none, ownerId: owner } };
    expect(sent({ ...given, settings: [setting(owner, { level, events })] })).toEqual(expected ? [owner] : []);
  });

  it('a pipeline of a program goes to those who chose it (G-4.11-3)', () => {
    const program = { id: owner, active: true, bot: true, email: 'p@x.example', confirmed: [] };
    const recipients = [program, { id: chooser, active: true, bot: false, email: 'u@x.example', confirmed: [] }];
    const given = {
      action: 'failed_pipeline' as const,
      people: nobody,
      facts: { ...none, ownerId: owner },
      recipients,
    };
    const chosen = (events: StoredSetting['events']) =>
      sent({ ...given, settings: [setting(chooser, { level: 'custom', events })] });
    expect(chosen({ service_account_failed_pipeline: true })).toEqual([chooser]);
    expect(chosen({ failed_pipeline: true })).toEqual([]);
  });

  it.each<[StoredSetting['level'], StoredSetting['events'], boolean]>([
    ['participating', {}, true],
    ['watch', {}, true],
    ['custom', {}, false],
    ['custom', { moved_project: true }, true],
    ['mention', {}, false],
    ['disabled', {}, false],
  ])('moved_project goes to members at %s with %j: %s', (level, events, expected) => {
    const given = { action: 'moved_project' as const, people: { ...nobody, memberIds: [member] }, facts: none };
    expect(sent({ ...given, settings: [setting(member, { level, events })] })).toEqual(expected ? [member] : []);
  });
});

it.each<[StoredSetting['level'], StoredSetting['events'], number[]]>([
  ['participating', {}, []],
  ['watch', {}, []],
  ['custom', {}, []],
  ['custom', { new_release: true }, [member]],
])('new_release goes to members at %s with %j alone: %j (G-4.11-3)', (level, events, expected) => {
  const given = {
    action: 'new_release' as const,
    people: { memberIds: [member] },
    facts: { assigned: [], unassigned: [] },
  };
  const only = {
    ...given,
    people: { ...given.people, mentionedIds: [] },
    settings: [setting(member, { level, events })],
  };
  expect(sent(only)).toEqual(expected);
});

describe('the rule of a decision', () => {
  const note = { action: 'new_note' as const, facts: none };
  const at = (level: StoredSetting['level'], userId: number, given: Partial<StoredSetting> = {}) => [
    setting(userId, { level, ...given }),
  ];

  it.each<[string, Given, number, Partial<ReturnType<typeof decided>[number]>]>([
    ['a mention', note, mentioned, { outcome: 'mail', rule: 'mention', reason: 'mentioned' }],
    ['a mention at the level mention', { ...note, settings: at('mention', mentioned) }, mentioned, { outcome: 'mail' }],
    ['taking part', note, participant, { outcome: 'mail', rule: 'participation', reason: 'participating' }],
    ['the author', note, author, { reason: 'author', detail: 'participating (default)' }],
    ['watching', note, watcher, { rule: 'watch', reason: 'watching', detail: 'watch (global)' }],
    ['a flag', note, chooser, { rule: 'custom_flag', reason: 'custom' }],
    ['a subscription', note, subscriber, { rule: 'subscription', reason: 'subscribed' }],
    [
      'a subscription, whatever the level',
      { ...note, settings: at('disabled', subscriber) },
      subscriber,
      { outcome: 'mail' },
    ],
    ['the level', { ...note, settings: at('disabled', participant) }, participant, { outcome: 'none', rule: 'level' }],
    ['the level mention', { ...note, settings: at('mention', author) }, author, { outcome: 'none', rule: 'level' }],
    [
      'a flag that is off',
      { ...note, settings: at('custom', chooser) },
      chooser,
      { outcome: 'none', rule: 'flag', detail: 'new_note, custom (global)' },
    ],
    [
      'the level, of an event without a flag',
      { action: 'close_epic', facts: none, settings: at('custom', chooser) },
      chooser,
      { outcome: 'none', rule: 'level', detail: 'custom (global)' },
    ],
    ['a subscription that was ended', note, unsubscribed, { outcome: 'none', rule: 'unsubscribed' }],
    [
      'a mention after a subscription was ended',
      { ...note, people: { mentionedIds: [unsubscribed] } },
      unsubscribed,
      { outcome: 'mail', rule: 'mention' },
    ],
    ['their own doing', note, actor, { outcome: 'none', rule: 'own_activity' }],
    [
      'their own doing, which they want',
      { ...note, settings: at('participating', actor, { ownActivity: true }) },
      actor,
      { outcome: 'mail' },
    ],
    ['access', { ...note, readers: (id) => id !== author }, author, { outcome: 'none', rule: 'access', detail: '' }],
    [
      'a silent group',
      { ...note, silencedBy: 'team' },
      author,
      { outcome: 'none', rule: 'emails_disabled', detail: 'team' },
    ],
    [
      'the level before the silent group',
      { ...note, silencedBy: 'team', settings: at('disabled', author) },
      author,
      { rule: 'level' },
    ],
    [
      'a digest',
      { ...note, settings: at('participating', author, { digest: 'daily' }) },
      author,
      { outcome: 'digest' },
    ],
    [
      'mail that was stopped, a mention too',
      {
        ...note,
        people: { mentionedIds: [author] },
        settings: at('watch', author, { digest: 'stopped' }),
      },
      author,
      { outcome: 'none', rule: 'stopped' },
    ],
  ])('%s', (_name, given, userId, expected) => {
    expect(one(given, userId)).toMatchObject(expected);
  });

  it('leaves out programs, and says so of users who are gone or have no address', () => {
    const recipients = [
      { id: author, active: true, bot: true, email: 'a@x.example', confirmed: [] },
      { id: assignee, active: false, bot: false, email: 'b@x.example', confirmed: [] },
      { id: reviewer, active: true, bot: false, email: '', confirmed: [] },
    ];
    expect(decided({ ...note, recipients }).map(({ userId, rule }) => [userId, rule])).toEqual([
      [assignee, 'inactive'],
      [reviewer, 'no_address'],
    ]);
  });

  it('decides 2,000 users in a moment', () => {
    const recipients = Array.from({ length: 2_000 }, (_, at) => ({
      id: at + 20,
      active: true,
      bot: false,
      email: `u${at}@x.example`,
      confirmed: [],
    }));
    const participantIds = recipients.map(({ id }) => id);
    const begun = performance.now();
    const decisions = decide({
      event: {
        action: 'new_note',
        subject: { type: 'Issue', id: 1, iid: 1, projectId: 1 },
        actorId: 1,
        facts: { title: 'T' },
        occurredAt: new Date(0),
      },
      people: { ...people, participantIds, subscribedIds: participantIds.slice(0, 1_000) },
      groupIds: [1],
      settings: recipients.map(({ id }) => setting(id, { level: 'watch' })),
      recipients,
      readers: new Set(participantIds),
      silencedBy: undefined,
    });
    expect(decisions.filter(({ outcome }) => outcome === 'mail')).toHaveLength(2_000);
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});
