import { checkEpicFields, type Epic } from './epic';
import { type EpicEdit, editEpic } from './epic-edit';

const now = new Date('2026-03-04T05:06:07Z');
const epic: Epic = {
  id: 9,
  iid: 3,
  groupId: 5,
  authorId: 1,
  title: 'A shop',
  description: undefined,
  state: 'opened',
  confidential: false,
  color: '#1068bf',
  startDateIsFixed: true,
  startDateFixed: '2026-02-01',
  dueDateIsFixed: false,
  dueDateFixed: '2026-01-01',
  userNotesCount: 0,
  upvotes: 0,
  downvotes: 0,
  parentId: 2,
  inheritedStartDate: undefined,
  inheritedDueDate: undefined,
  closedById: undefined,
  closedAt: undefined,
  importedFrom: 'none',
  lockVersion: 2,
  createdAt: now,
  updatedAt: now,
};
const edited = (edit: EpicEdit, given: Partial<Epic> = {}) =>
  editEpic({ epic: { ...epic, ...given }, labelIds: [4] }, edit, 7, now);

it.each<[EpicEdit, string[]]>([
  [{ title: 'B' }, ['title']],
  [{ description: 'D', color: '#ff0000' }, ['description', 'color']],
  [{ startDateFixed: null, dueDateFixed: '2026-03-01' }, ['start_date_fixed', 'due_date_fixed']],
  [{ parentId: null }, ['parent_id']],
  [{ labelIds: [4, 6], confidential: true }, ['confidential', 'labels']],
])('%j changes %j (G-4.18-2)', (edit, fields) => {
  expect(edited(edit)?.facts).toMatchObject([{ kind: 'updated', changedFields: fields }]);
});

it.each([
  ['x'.repeat(10_001), 'x'.repeat(10_000)],
  [undefined, ''],
])('its event has the beginning of the description before: %#', (description, oldDescription) => {
  expect(edited({ description: 'D' }, { description })?.facts).toMatchObject([{ oldDescription }]);
  expect(edited({ title: 'B' }, { description })?.facts[0]).not.toHaveProperty('oldDescription');
});

it.each<EpicEdit>([
  {},
  { title: 'A shop', description: '' },
  { stateEvent: 'reopen' },
  { addedLabelIds: [4] },
  { parentId: 2 },
])('%j changes nothing', (edit) => {
  expect(edited(edit)).toBeUndefined();
});

it('closes and reopens', () => {
  expect(edited({ stateEvent: 'close' })).toMatchObject({
    patch: { state: 'closed', closedById: 7, closedAt: now },
    facts: [{ kind: 'closed' }],
  });
  expect(edited({ stateEvent: 'reopen' }, { state: 'closed' })).toMatchObject({
    patch: { state: 'opened', closedById: null, closedAt: null },
    facts: [{ kind: 'reopened' }],
  });
});

it('refuses a fixed end before the fixed start, and no inherited one', () => {
  const refusal = expect.objectContaining({ kind: 'invalid' });
  expect(() => edited({ dueDateIsFixed: true })).toThrow(refusal);
  expect(() => edited({ dueDateIsFixed: true, dueDateFixed: '2026-02-01' })).not.toThrow();
  expect(() => edited({ startDateFixed: '2026-05-01' })).not.toThrow();
});

it('reports every bad field at once', () => {
  expect(() =>
    checkEpicFields({ title: 'x'.repeat(256), color: 'no colour', description: 'x'.repeat(1_048_577) }),
  ).toThrow(
    expect.objectContaining({
      body: expect.objectContaining({
        message: {
          title: ['is too long (maximum is 255 characters)'],
          description: ['is too long (maximum is 1048576 characters)'],
          color: ['must be a valid color code'],
        },
      }),
    }),
  );
});
