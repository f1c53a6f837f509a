import { ResolveResponse } from '@switchyard/protos/groups_admin/v1/access';
import { Access } from '@switchyard/protos/rpc/v1/identity';
import { suggestionRoutes } from '../routes/collaboration/suggestions.routes';
import { refusalOfLocated } from './authorize';

const [apply] = suggestionRoutes;
const answer = (access: Partial<Access>): ResolveResponse =>
  ResolveResponse.fromPartial({
    actor: { userId: 5 },
    access: Access.fromPartial({ id: 1, visibility: 'public', tier: 'ultimate', ...access }),
  });

test.each([
  ['an outsider', 0, 404, 403],
  ['a Guest', 10, 404, 403],
  ['a Reporter', 20, 403, 403],
])(
  'of an archived project %s cannot tell a suggestion of an internal note from none (G-4.6-9)',
  (_, level, internal, open) => {
    const archived = answer({ level, archived: true });
    const statusOf = (alsoRead?: 'read_internal_note') =>
      refusalOfLocated(apply!, { projectId: 1, alsoRead }, archived, 'ultimate')?.status;
    expect([statusOf('read_internal_note'), statusOf()]).toEqual([internal, open]);
  },
);

test('what may be read and applied is not refused', () => {
  expect(
    refusalOfLocated(apply!, { projectId: 1, alsoRead: 'read_internal_note' }, answer({ level: 30 }), 'ultimate'),
  ).toBeUndefined();
});
