import { decideAdd, decideImport, decideRemove, decideUpdate, type MemberFacts } from './member-change';

const membership = {
  id: 1,
  user_id: 7,
  namespace_id: 3,
  project_id: null,
  access_level: 50,
  version: 1,
  expired: false,
};
const facts: MemberFacts = {
  userId: 7,
  membership,
  inheritedLevel: 0,
  isRequiredOwner: false,
  isOwnBot: false,
  below: [],
  admission: undefined,
  hasRequest: false,
};
const owner = { userId: 9, admin: false, level: 50 };
const group = { kind: 'group', id: 3 } as const;
const role = { level: 30, expiresAt: undefined };
const kind = (expected: string) => expect.objectContaining({ kind: expected });

test('a user is added once, or again after the membership expired', () => {
  expect(() => decideAdd(group, facts, role)).toThrow(kind('conflict'));
  expect(decideAdd(group, { ...facts, membership: undefined }, role)).toEqual({ kind: 'added', role });
  expect(decideAdd(group, { ...facts, membership: { ...membership, expired: true } }, role)).toEqual({
    kind: 'added',
    role,
  });
  expect(() => decideAdd(group, { ...facts, membership: undefined, inheritedLevel: 40 }, role)).toThrow(
    kind('invalid'),
  );
});

test('an Owner whom the group has to keep is neither demoted nor removed', () => {
  const required = { ...facts, isRequiredOwner: true };
  expect(() => decideUpdate(owner, required, role)).toThrow(kind('forbidden'));
  expect(() => decideRemove(owner, group, required)).toThrow(kind('forbidden'));
  expect(decideUpdate(owner, required, { ...role, level: 50 })).toMatchObject({ kind: 'changed' });
});

test('the bot of a token stays in the source of the token, and is removed from what it has made', () => {
  const own = { ...facts, isOwnBot: true };
  expect(() => decideUpdate(owner, own, role)).toThrow(kind('forbidden'));
  expect(() => decideRemove(owner, group, own)).toThrow(kind('forbidden'));
  expect(decideRemove(owner, group, facts)).toMatchObject({ kind: 'removed', memberships: [membership] });
});

test('a member leaves or is removed, with the memberships below', () => {
  const below = [{ ...membership, id: 2, namespace_id: 4 }];
  const removed = { kind: 'removed', memberships: [membership, ...below] };
  expect(decideRemove(owner, group, { ...facts, below })).toEqual({ ...removed, reason: 'removed' });
  const self = { ...owner, userId: 7, level: 10 };
  expect(decideRemove(self, group, { ...facts, below })).toEqual({ ...removed, reason: 'left' });
  expect(() => decideRemove(owner, group, { ...facts, membership: undefined })).toThrow(kind('not_found'));
});

test('an import lets in at no level above that of who imports, lowers none, and heeds what groups admit', () => {
  const project = { kind: 'project', id: 3 } as const;
  const now = new Date('2030-01-02T03:04:05Z');
  const given = { user: 'ada', level: 40, expiresAt: undefined, since: now };
  const maintainer = { ...owner, level: 40 };
  const unknown = { ...facts, membership: undefined };
  const added = { kind: 'added', role: { level: 40, expiresAt: undefined }, since: now };
  const decide = (by = maintainer, of: Partial<MemberFacts> = {}) =>
    decideImport(by, project, { ...unknown, ...of }, given, now);
  expect(decide()).toEqual(added);
  expect(decide({ ...owner, level: 30 })).toBeUndefined();
  expect(decide({ ...owner, userId: 0, level: 0 })).toBeUndefined();
  expect(decide({ ...owner, level: 0, admin: true })).toEqual(added);
  expect(decide(maintainer, { membership: { ...membership, access_level: 10 } })).toBeUndefined();
  expect(decide(maintainer, { inheritedLevel: 50 })).toBeUndefined();
  const admission = {
    membersLocked: false,
    emailDomains: [],
    email: { address: 'ada@example.com', isConfirmed: true },
  };
  expect(decide(maintainer, { admission })).toEqual(added);
  expect(decide(maintainer, { admission: { ...admission, membersLocked: true } })).toBeUndefined();
  expect(decide(maintainer, { admission: { ...admission, emailDomains: ['acme.example'] } })).toBeUndefined();
});
