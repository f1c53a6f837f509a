import { CreateIssueRequest, UpdateIssueRequest } from '@switchyard/protos/collaboration/v1/issue';
import { eventually } from '@switchyard/testkit';
import { type Item, json, type NoteFixture, pageOf, startNoteFixture } from '../support/note-fixture';

let fixture: NoteFixture;
beforeAll(async () => {
  fixture = await startNoteFixture();
});
afterAll(() => fixture.here.close());

const as = (tier: string, user = fixture.bob) => {
  const call = fixture.as(user);
  return { ...call, access: call.access && { ...call.access, tier } };
};
const open = async (tier: string, given: Partial<CreateIssueRequest>, user = fixture.bob): Promise<Item> =>
  json(
    await fixture.here.issues.createIssue(
      CreateIssueRequest.fromPartial({ projectId: fixture.project.id, title: 'Broken', ...given }),
      as(tier, user),
    ),
  );
const edit = async ({ iid }: Item, tier: string, given: Partial<UpdateIssueRequest>): Promise<Item> =>
  json(
    await fixture.here.issues.updateIssue(
      UpdateIssueRequest.fromPartial({ projectId: fixture.project.id, iid, ...given }),
      as(tier),
    ),
  );
const refOf = ({ iid }: Item) => ({
  projectId: fixture.project.id,
  target: { $case: 'issueIid' as const, value: iid as number },
});
const comment = async (issue: Item, body: string): Promise<Item> =>
  json(
    await fixture.here.notes.createNote(
      { noteable: refOf(issue), body, internal: false, createdAt: undefined },
      as('ultimate'),
    ),
  );
const shown = async ({ iid }: Item): Promise<unknown> =>
  json(await fixture.here.issues.getIssue({ projectId: fixture.project.id, iid, renderHtml: false }, as('ultimate')))
    .health_status;
const notes = async (issue: Item): Promise<string[]> => {
  const request = { noteable: refOf(issue), activityFilter: 'only_activity', page: pageOf() };
  return json(await fixture.here.notes.listNotes(request, as('ultimate'))).map(({ body }: Item) => body);
};

test('the health status of an issue is set, changed and taken away, and notes say so', async () => {
  const issue = await open('ultimate', { healthStatus: 'on_track' });
  expect(issue.health_status).toBe('on_track');
  expect(await edit(issue, 'ultimate', { title: 'Broken still' })).toMatchObject({ health_status: 'on_track' });
  expect(await edit(issue, 'ultimate', { healthStatus: 'at_risk' })).toMatchObject({ health_status: 'at_risk' });
  expect(await edit(issue, 'ultimate', { healthStatus: '' })).toMatchObject({ health_status: null });
  await eventually(async () =>
    expect(await notes(issue)).toEqual(
      expect.arrayContaining(['changed the health status to **at risk**', 'removed the health status **at risk**']),
    ),
  );
});

test('below the tier it is passed over, and not shown', async () => {
  const issue = await open('premium', { healthStatus: 'on_track' });
  expect(issue).not.toHaveProperty('health_status');
  expect(await edit(issue, 'premium', { healthStatus: 'at_risk', title: 'New' })).toMatchObject({ title: 'New' });
  expect(await shown(issue)).toBeNull();
});

test('commands set it, in notes and in descriptions', async () => {
  const issue = await open('ultimate', { description: 'Text\n/health_status needs_attention' });
  expect(issue).toMatchObject({ description: 'Text', health_status: 'needs_attention' });
  expect(await comment(issue, '/health_status at_risk\n/health_status sick')).toMatchObject({
    commands_changes: { health_status: 'at_risk' },
    summary: ['Set the health status to at_risk.', 'Could not apply health_status command.'],
  });
  expect(await shown(issue)).toBe('at_risk');
  expect(await comment(issue, '/clear_health_status')).toMatchObject({ commands_changes: { health_status: null } });
  expect(await shown(issue)).toBeNull();
});
