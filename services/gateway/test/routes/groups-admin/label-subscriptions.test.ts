import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { entity, nothing } from '@switchyard/rpc';
import { newToken, projectAccess, resolved, startTestGateway, type TestGateway } from '../../support/gateway';

const label = {
  id: 7,
  name: 'bug',
  description: null,
  description_html: '',
  text_color: '#FFFFFF',
  color: '#ff0000',
  archived: false,
  open_issues_count: 0,
  closed_issues_count: 0,
  open_merge_requests_count: 0,
  subscribed: true,
};
const ofProject = { ...label, priority: null, is_project_label: true };

let gateway: TestGateway;
let changes = true;
beforeAll(async () => {
  gateway = await startTestGateway({
    access: ({ target }) =>
      resolved({
        access: projectAccess({
          id: 5,
          level: 10,
          kind: target?.$case === 'group' ? Access_Kind.KIND_GROUP : Access_Kind.KIND_PROJECT,
        }),
      }),
    fakes: {
      'LabelService/SetLabelSubscription': async ({ parent }: { parent: { groupId: number } }) =>
        changes ? entity(parent.groupId > 0 ? label : ofProject, 201) : nothing(304),
    },
  });
});
afterAll(() => gateway.close());

describe.each([
  ['projects', { projectId: 5, groupId: 0 }, ofProject],
  ['groups', { projectId: 0, groupId: 5 }, label],
])('a label of %s', (kind, parent, shown) => {
  test.each([
    ['subscribe', true],
    ['unsubscribe', false],
  ])('POST …/%s answers the label, or 304', async (verb, subscribed) => {
    gateway.calls.length = 0;
    changes = true;
    const reply = await gateway.send('POST', `/${kind}/5/labels/a%2Fb/${verb}`, newToken());
    expect([reply.status, reply.body]).toEqual([201, shown]);
    const asked = gateway.calls.find(({ rpc }) => rpc === 'LabelService/SetLabelSubscription')?.request;
    expect(asked).toEqual({ parent, label: 'a/b', subscribed });
    changes = false;
    expect((await gateway.send('POST', `/${kind}/5/labels/7/${verb}`, newToken())).status).toBe(304);
  });
});
