import { groupProblems, mayCreateGroup, protectionOf, refuseNewGroup } from './group';

const parent = { visibility: 'internal', depth: 1, settings: { subgroup_creation_level: 'maintainer' } } as const;
const actor = { admin: false, canCreateGroup: true, parentLevel: 0 };

test('a new group is refused with one text that lists the fields', () => {
  expect(() => refuseNewGroup({})).not.toThrow();
  expect(() => refuseNewGroup({ path: ['has already been taken'], name: ["can't be blank", 'is "odd"'] })).toThrow(
    expect.objectContaining({
      body: {
        message: 'Failed to save group {:path=>["has already been taken"], :name=>["can\'t be blank", "is \\"odd\\""]}',
      },
    }),
  );
});

test.each([
  [{ ...actor }, undefined, true],
  [{ ...actor, canCreateGroup: false }, undefined, false],
  [{ ...actor, canCreateGroup: false, admin: true }, undefined, true],
  [{ ...actor, parentLevel: 30 }, parent, false],
  [{ ...actor, parentLevel: 40 }, parent, true],
  [{ ...actor, parentLevel: 40 }, { ...parent, settings: { subgroup_creation_level: 'owner' } }, false],
  [{ ...actor, parentLevel: 50 }, { ...parent, settings: { subgroup_creation_level: 'owner' } }, true],
])('%j below %j: %p', (who, where, may) => {
  const creation = () => mayCreateGroup(who, where);
  if (may) expect(creation).not.toThrow();
  else expect(creation).toThrow(expect.objectContaining({ kind: 'forbidden' }));
});

test('all problems are reported together', () => {
  const problems = groupProblems(
    { name: '', path: '-', description: 'x'.repeat(501), visibility: 'public' },
    { ...parent, depth: 20 },
  );
  expect(Object.keys(problems).sort()).toEqual(['description', 'name', 'parent_id', 'path', 'visibility_level']);
});

test.each([
  [0, 30, 30, true],
  [1, 30, 30, false],
  [2, 40, 40, false],
  [3, 40, 30, false],
  [4, 40, 40, false],
])('protection %i: push %i, merge %i, force %p', (number, push, merge, force) => {
  expect(protectionOf(number)).toEqual({
    allowed_to_push: [{ access_level: push }],
    allowed_to_merge: [{ access_level: merge }],
    allow_force_push: force,
    developer_can_initial_push: number === 4,
  });
});
