import {
  mayChange,
  mayGrant,
  mayRemove,
  refuseBelowInherited,
  refuseMinimalInProject,
  refusePastExpiry,
} from './member';

const maintainer = { userId: 1, admin: false, level: 40 };
const administrator = { userId: 2, admin: true, level: 50 };
const forbidden = expect.objectContaining({ kind: 'forbidden' });
const invalid = expect.objectContaining({ kind: 'invalid' });

test('no one gives or changes more than they have; administrators may', () => {
  expect(() => mayGrant(maintainer, 40)).not.toThrow();
  expect(() => mayGrant(maintainer, 50)).toThrow(forbidden);
  expect(() => mayGrant(administrator, 50)).not.toThrow();
  expect(() => mayChange(maintainer, 40)).not.toThrow();
  expect(() => mayChange(maintainer, 50)).toThrow(forbidden);
});

test('everyone removes themselves, and others within their level', () => {
  const guest = { userId: 3, admin: false, level: 10 };
  expect(() => mayRemove(guest, { userId: 3, level: 10 }, 40)).not.toThrow();
  expect(() => mayRemove(guest, { userId: 4, level: 10 }, 40)).toThrow(forbidden);
  expect(() => mayRemove(maintainer, { userId: 4, level: 30 }, 40)).not.toThrow();
  expect(() => mayRemove(maintainer, { userId: 4, level: 50 }, 40)).toThrow(forbidden);
  expect(() => mayRemove(administrator, { userId: 4, level: 50 }, 50)).not.toThrow();
});

test('levels and dates', () => {
  expect(() => refuseBelowInherited(20, 30)).toThrow(invalid);
  expect(() => refuseBelowInherited(30, 30)).not.toThrow();
  expect(() => refuseMinimalInProject('project', 5)).toThrow(invalid);
  expect(() => refuseMinimalInProject('group', 5)).not.toThrow();
  expect(() => refusePastExpiry('2026-01-01', '2026-01-02')).toThrow(invalid);
  expect(() => refusePastExpiry('2026-01-02', '2026-01-02')).toThrow(invalid);
  expect(() => refusePastExpiry('2026-01-03', '2026-01-02')).not.toThrow();
  expect(() => refusePastExpiry('', '2026-01-02')).not.toThrow();
});
