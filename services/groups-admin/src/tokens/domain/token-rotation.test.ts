import { decideRotation } from './token-rotation';

test.each([
  [{ revoked: false, replaced: false }, 'replace'],
  [{ revoked: true, replaced: false }, 'refuse'],
  [{ revoked: true, replaced: true }, 'revoke_family'],
])('the rotation of %j: %s', (token, decision) => expect(decideRotation(token)).toBe(decision));
