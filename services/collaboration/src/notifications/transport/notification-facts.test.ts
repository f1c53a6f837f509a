import { EpicEvent } from '@switchyard/protos/collaboration/events/v1/epic_event';
import { epicNotifications } from './notification-facts';

const time = new Date(0);
const mentions = { usernames: ['Ada'], directlyAddressedUsernames: ['bob', 'ada'] };
const happened = (fact: EpicEvent['fact'], given: Partial<EpicEvent> = {}) =>
  epicNotifications(
    EpicEvent.fromPartial({ epic: { id: 4, iid: 2, groupId: 9, title: 'Plan' }, actorId: 3, fact, ...given }),
    'epic.fact:4:1',
    time,
  );

it.each<[string, EpicEvent['fact'], object[]]>([
  [
    'opened',
    { $case: 'created', value: { mentions, parentId: 0 } },
    [{ action: 'new_epic', facts: { mentions: ['ada', 'bob'] } }],
  ],
  ['closed', { $case: 'closed', value: {} }, [{ action: 'close_epic' }]],
  ['reopened', { $case: 'reopened', value: {} }, [{ action: 'reopen_epic' }]],
  [
    'edited with a mention',
    { $case: 'updated', value: { mentions, changedFields: [], addedLabelIds: [], removedLabelIds: [], changes: [] } },
    [{ action: 'mention_in_epic', facts: { mentions: ['ada', 'bob'] } }],
  ],
  [
    'labelled',
    {
      $case: 'updated',
      value: { mentions: undefined, changedFields: ['labels'], addedLabelIds: [1], removedLabelIds: [], changes: [] },
    },
    [],
  ],
  ['deleted', { $case: 'deleted', value: {} }, []],
])('an epic that was %s', (_what, fact, expected) => {
  expect(happened(fact)).toEqual(
    expected.map((event) =>
      expect.objectContaining({
        ...event,
        ...('facts' in event ? { facts: expect.objectContaining(event.facts as object) } : {}),
        subject: { type: 'Epic', id: 4, iid: 2, projectId: 0, groupId: 9 },
        actorId: 3,
      }),
    ),
  );
  expect(happened(fact, { imported: true })).toEqual([]);
});
