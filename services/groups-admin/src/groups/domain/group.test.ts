import { groupProblems, mayCreateGroup, refuseNewGroup } from './group';

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
