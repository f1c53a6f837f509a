import { decideDelete, decideRestore, decideTransfer, decideUpdate } from './group-change';
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
  marked_for_deletion_at: null,
} as unknown as GroupRow;
const parent = { ...group, id: 3, parent_id: null, ancestry: [3], full_path: 'other' };
const actor = { userId: 7, admin: false, external: false };
const facts = { parent, parentLevel: 50, canCreateTopLevel: false, pathTaken: false, depthBelow: 1 };
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
  ['deeper than the limit', 3, { ...facts, depthBelow: 20 }, 'bad_request'],
])('a transfer %s is refused', (_, parentId, given, refusal) => {
  expect(() => decideTransfer(actor, group, parentId, given)).toThrow(kind(refusal));
});

test('a change moves the group only when name or path change', () => {
  const given = { parent, pathTaken: false, hasWiderContent: false };
  const update = { id: 5, settings: {}, description: 'text' };
  expect(decideUpdate(actor, group, update, given)).toMatchObject({ kind: 'changed', position: undefined });
  expect(decideUpdate(actor, group, { ...update, path: 'squad' }, given)).toMatchObject({
    position: { name: 'Team', path: 'squad', parentId: 2 },
  });
});

test('a subgroup is purged at once only with its full path', () => {
  expect(decideDelete(group, undefined)).toEqual({ kind: 'deleted', purgesNow: false });
  expect(decideDelete(group, { fullPath: 'top/team' })).toEqual({ kind: 'deleted', purgesNow: true });
  expect(() => decideDelete(group, { fullPath: 'team' })).toThrow(kind('bad_request'));
  expect(() => decideDelete(parent, { fullPath: 'other' })).toThrow(kind('bad_request'));
});

test('a group that is not marked is not restored', () => {
  expect(() => decideRestore(group)).toThrow(kind('not_found'));
  expect(decideRestore({ ...group, marked_for_deletion_at: new Date() })).toEqual({ kind: 'restored' });
});
