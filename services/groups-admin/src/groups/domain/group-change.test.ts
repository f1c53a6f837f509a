import { protectionOf } from '../../rules';
import { decideDelete, decideRestore, decideTransfer, decideUpdate, type TransferFacts } from './group-change';
import type { GroupRow } from './group-row';

const group = {
  id: 5,
  name: 'Team',
  path: 'team',
  parent_id: 2,
  ancestry: [2, 5],
  full_path: 'top/team',
  visibility: 'private',
  settings: {},
  tier: null,
  git_protocol: null,
  marked_for_deletion_at: null,
} as unknown as GroupRow;
const parent = { ...group, id: 3, parent_id: null, ancestry: [3], full_path: 'other' };
const actor = { userId: 7, admin: false, external: false };
const facts = {
  parent,
  parentLevel: 50,
  canCreateTopLevel: false,
  pathTaken: false,
  depthBelow: 1,
  hasServiceAccounts: false,
};
type TransferCase = TransferFacts & { group?: Partial<GroupRow> };
const kind = (expected: string) => expect.objectContaining({ kind: expected });

test('a group moves below another one, with the actor as its Owner if it has none there', () => {
  const position = { name: 'Team', path: 'team', parentId: 3 };
  expect(decideTransfer(actor, group, 3, facts)).toEqual({ kind: 'moved', position, ownerId: 7 });
});

test.each([
  ['to a parent that the actor does not see', 3, { ...facts, parent: undefined }, 'not_found'],
  ['to its own parent', 2, { ...facts, parent: { ...parent, id: 2 } }, 'bad_request'],
  ['below itself', 6, { ...facts, parent: { ...parent, id: 6, ancestry: [2, 5, 6] } }, 'bad_request'],
  ['without the level in the parent', 3, { ...facts, parentLevel: 30 }, 'forbidden'],
  ['to the top level without the right', undefined, { ...facts, parent: undefined }, 'forbidden'],
  ['to a taken path', 3, { ...facts, pathTaken: true }, 'bad_request'],
  [
    'of a group with address ranges below another one',
    3,
    { ...facts, group: { settings: { ip_restriction_ranges: '10.0.0.1' } } },
    'bad_request',
  ],
  [
    'to the top level with a name that is reserved there',
    undefined,
    { ...facts, parent: undefined, canCreateTopLevel: true, group: { path: 'explore' } },
    'bad_request',
  ],
  ['to a narrower group', 3, { ...facts, group: { visibility: 'public' as const } }, 'bad_request'],
  ['with service accounts', 3, { ...facts, hasServiceAccounts: true }, 'bad_request'],
  ['deeper than the limit', 3, { ...facts, depthBelow: 20 }, 'bad_request'],
])('a transfer %s is refused', (_, parentId, { group: its = {}, ...given }: TransferCase, refusal) => {
  expect(() => decideTransfer(actor, { ...group, ...its }, parentId, given)).toThrow(kind(refusal));
});

test('a change moves the group only when name or path change', () => {
  const given = { parent, pathTaken: false, hasWiderContent: false };
  const update = { id: 5, settings: {}, description: 'text' };
  expect(decideUpdate(actor, group, update, given, 'ultimate')).toMatchObject({ kind: 'changed', position: undefined });
  expect(decideUpdate(actor, group, { ...update, path: 'squad' }, given, 'ultimate')).toMatchObject({
    position: { name: 'Team', path: 'squad', parentId: 2 },
  });
});

describe('ip_restriction_ranges and enabled_git_access_protocol (G-4.15-5, G-4.15-6)', () => {
  const top = { ...parent, tier: null, settings: {} };
  const change = (settings: object, where: GroupRow, above: GroupRow | undefined, tier = 'premium') => {
    const given = { parent: above, pathTaken: false, hasWiderContent: false };
    const decision = decideUpdate(actor, where, { id: where.id, settings }, given, tier);
    return decision.kind === 'changed' ? decision.change.settings : undefined;
  };

  test('are stored on a top-level group', () => {
    const given = { ip_restriction_ranges: '10.0.0.0/8, ::1', enabled_git_access_protocol: 'ssh' };
    expect(change(given, top, undefined)).toEqual({
      ip_restriction_ranges: '10.0.0.0/8,::1',
      enabled_git_access_protocol: 'ssh',
    });
    expect(change({ ip_restriction_ranges: null }, top, undefined)).toEqual({ ip_restriction_ranges: null });
  });

  test('are refused below, except as they are there', () => {
    const of = (field: string) =>
      expect.objectContaining({ body: { message: { [field]: ['can only be set on a top-level group'] } } });
    expect(() => change({ ip_restriction_ranges: '10.0.0.1' }, group, top)).toThrow(of('ip_restriction_ranges'));
    expect(change({ ip_restriction_ranges: null }, group, top)).toEqual({ ip_restriction_ranges: null });
    expect(() => change({ enabled_git_access_protocol: 'http' }, group, top)).toThrow(
      of('enabled_git_access_protocol'),
    );
    expect(change({ enabled_git_access_protocol: 'http' }, group, { ...top, git_protocol: 'http' })).toEqual({});
  });

  test('address ranges are ignored in the tier free, valid or not', () => {
    expect(change({ ip_restriction_ranges: 'x' }, top, undefined, 'free')).toEqual({});
    expect(change({ ip_restriction_ranges: '10.0.0.1' }, { ...top, tier: 'free' }, undefined)).toEqual({});
  });
});

test('a default branch is one that projects of the group could have', () => {
  const given = { parent, pathTaken: false, hasWiderContent: false };
  const change = (name: string | null) => () =>
    decideUpdate(actor, group, { id: 5, settings: { default_branch: name } }, given, 'free');
  for (const name of ['a..b', '-x', 'x.lock', 'HEAD', 'x'.repeat(256)])
    expect(change(name)).toThrow(expect.objectContaining({ body: { message: { default_branch: ['is invalid'] } } }));
  for (const name of ['trunk', null]) expect(change(name)()).toMatchObject({ kind: 'changed' });
});

test('of the protection of default branches what is absent stays', () => {
  const stored = { ...protectionOf(3), allow_force_push: true };
  const protectedGroup = { ...group, settings: { default_branch_protection_defaults: stored } };
  const given = { parent, pathTaken: false, hasWiderContent: false };
  const settings = { default_branch_protection_defaults: { allowed_to_merge: [{ access_level: 60 }] } };
  expect(decideUpdate(actor, protectedGroup, { id: 5, settings }, given, 'free')).toMatchObject({
    change: {
      settings: { default_branch_protection_defaults: { ...stored, allowed_to_merge: [{ access_level: 60 }] } },
    },
  });
});

describe('deleting (G-4.15-7)', () => {
  const marked = { ...group, marked_for_deletion_at: new Date() };
  const later = { tier: 'premium', delayDays: 7 };
  const confirmed = { fullPath: 'top/team' };

  test.each([
    ['with a delay', later, false],
    ['without a delay', { ...later, delayDays: 0 }, true],
    ['in the tier free', { ...later, tier: 'free' }, true],
  ])('%s: removed at once %p', (_, rules, purgesNow) => {
    expect(decideDelete(group, undefined, rules)).toEqual({ kind: 'deleted', purgesNow });
  });

  test('a subgroup that is marked is removed at once with its full path', () => {
    expect(decideDelete(marked, confirmed, later)).toEqual({ kind: 'deleted', purgesNow: true });
    for (const [where, sent] of [
      [group, confirmed],
      [marked, { fullPath: 'team' }],
      [{ ...parent, marked_for_deletion_at: new Date() }, { fullPath: 'other' }],
      [marked, undefined],
    ] as const) {
      expect(() => decideDelete(where, sent, later)).toThrow(kind('bad_request'));
    }
  });

  test('a group that is not marked is not restored', () => {
    expect(() => decideRestore(group)).toThrow(kind('bad_request'));
    expect(decideRestore(marked)).toEqual({ kind: 'restored' });
  });
});
