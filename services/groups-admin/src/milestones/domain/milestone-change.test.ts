import { decideCreate, decideUpdate } from './milestone-change';
import type { MilestoneRow } from './milestone-row';

const milestone = {
  id: 1,
  title: 'One',
  description: '',
  state: 'active',
  due_date: '2026-05-01',
  start_date: null,
} as MilestoneRow;
const free = { titleTaken: false };

test('what is absent stays, and an empty date is removed', () => {
  const content = { title: 'One', description: '', dueDate: '2026-05-01', startDate: undefined, state: 'active' };
  expect(decideUpdate(milestone, {}, free)).toEqual({ kind: 'changed', content, facts: [] });
  expect(decideUpdate(milestone, { dueDate: '' }, free)).toEqual({
    kind: 'changed',
    content: { ...content, dueDate: undefined },
    facts: [],
  });
});

test('a new title and a new state are one fact each', () => {
  expect(decideUpdate(milestone, { title: 'Two', stateEvent: 'close' }, free)).toMatchObject({
    facts: ['renamed', 'closed'],
  });
  expect(decideUpdate(milestone, { stateEvent: 'activate' }, free)).toMatchObject({ facts: [] });
});

test('a taken title is reported with the other problems', () => {
  const content = { title: 'One', description: '', dueDate: '2026-01-01', startDate: '2026-02-01' };
  expect(() => decideCreate(content, { titleTaken: true })).toThrow(
    expect.objectContaining({
      body: {
        message: {
          title: ['already being used for another group or project milestone.'],
          due_date: ['must be greater than start date'],
        },
      },
    }),
  );
});
