import { issueEvents, membershipEvents, noteEvents, shareEvents } from '@switchyard/events';
import { IssueEvent } from '@switchyard/protos/collaboration/events/v1/issue_event';
import { NoteEvent } from '@switchyard/protos/collaboration/events/v1/note_event';
import { MembershipEvent } from '@switchyard/protos/groups_admin/events/v1/membership_event';
import { ShareEvent } from '@switchyard/protos/groups_admin/events/v1/share_event';
import { todoSubscriptions } from './todo.subscription';

it('what an event names is waited for before its transaction: no delivery fails because the replica is behind', async () => {
  const waited: number[] = [];
  const subscriptions = todoSubscriptions({
    directory: { ensure: async (sequence: number) => void waited.push(sequence) },
  } as Parameters<typeof todoSubscriptions>[0]);
  const before = (type: string, payload: unknown) =>
    subscriptions.find(({ event }) => event.type === type)?.before?.(payload as never);
  await before(issueEvents.type, IssueEvent.fromPartial({ directorySequence: 7 }));
  await before(noteEvents.type, NoteEvent.fromPartial({ directorySequence: 8 }));
  const removed = MembershipEvent.fromPartial({ fact: { $case: 'removed', value: { directorySequence: 9 } } });
  await before(membershipEvents.type, removed);
  await before(membershipEvents.type, MembershipEvent.fromPartial({ fact: { $case: 'added', value: {} } }));
  const unshared = ShareEvent.fromPartial({ fact: { $case: 'removed', value: { directorySequence: 10 } } });
  await before(shareEvents.type, unshared);
  expect(waited).toEqual([7, 8, 9, 10]);
});
