import { decideRotation } from './token-rotation';

test.each([
  [{ revoked: false, replaced: false }, 'replace'],
  [{ revoked: true, replaced: false }, 'refuse'],
  [{ revoked: true, replaced: true }, 'revoke_family'],
])('the rotation of %j: %s', (token, decision) => expect(decideRotation(token, true)).toBe(decision));

test('one who administers the tokens of others only gets a refusal (G-4.5-7)', () =>
  expect(decideRotation({ revoked: true, replaced: true }, false)).toBe('refuse'));
