import { advance, type CommandSubject, commandSteps } from './command-steps';
import { type Command, parseQuickActions } from './quick-actions';

const ids: Readonly<Record<string, number>> = { ada: 1, bob: 2, eve: 3 };
const steps = commandSteps({
  names: {
    users: async (names) => new Map(names.flatMap((name) => (ids[name] ? [[name, { id: ids[name] }] as const] : []))),
    labels: async (_place, titles) => [{ title: 'Caf\u00e9' }].filter(({ title }) => titles.includes(title)),
    milestones: async () => [],
  },
  clock: () => new Date('2026-01-01T00:00:00Z'),
});

async function editsOf(body: string, tier: string) {
  const subject: CommandSubject = { userId: 9, projectId: 1, tier, title: 'Change', assigneeIds: [3] };
  const edits: unknown[] = [];
  for (const command of parseQuickActions(body, 'Issue').commands as Command[]) {
    const step = await steps(subject, command);
    if (step !== undefined) advance(subject, step);
    edits.push(step?.edit);
  }
  return { edits, left: subject.assigneeIds };
}

describe('people that commands assign', () => {
  const body = '/assign @ada @bob\n/assign @nobody\n/unassign @eve\n/reassign me @bob\n/assign @ada';

  it('are added to those who are there and taken from them, never written down with them', async () => {
    expect(await editsOf(body, 'premium')).toEqual({
      edits: [
        { addAssigneeIds: [1, 2] },
        undefined,
        { removeAssigneeIds: [3] },
        { assigneeIds: [9, 2] },
        { addAssigneeIds: [1] },
      ],
      left: [9, 2, 1],
    });
    expect(await editsOf('/unassign', 'premium')).toEqual({ edits: [{ assigneeIds: [] }], left: [] });
  });

  it('take the place of the one there may be in the free tier (G-4.2-13)', async () => {
    expect(await editsOf(body, 'free')).toEqual({
      edits: [{ assigneeIds: [1] }, undefined, { removeAssigneeIds: [3] }, { assigneeIds: [9] }, { assigneeIds: [1] }],
      left: [1],
    });
  });
});

test.each(['~Caf\u00e9', '~Cafe\u0301', '~"Cafe\u0301"'])(
  'the label %j is found in either Unicode form',
  async (name) => {
    expect((await editsOf(`/label ${name}`, 'free')).edits).toEqual([{ addLabels: ['Caf\u00e9'] }]);
  },
);

test('a health status is set in the tier that has it, by its name in any case', async () => {
  const body = '/health_status at_risk\n/health_status Needs Attention\n/health_status sick\n/clear_health_status';
  expect((await editsOf(body, 'ultimate')).edits).toEqual([
    { healthStatus: 'at_risk' },
    { healthStatus: 'needs_attention' },
    undefined,
    { healthStatus: null },
  ]);
  expect((await editsOf(body, 'premium')).edits).toEqual([undefined, undefined, undefined, undefined]);
});
