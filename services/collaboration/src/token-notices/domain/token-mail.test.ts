import { tokenMail, tokenMailLevel } from './token-mail';

const token = { id: 7, name: 'deploy\r\nBcc: x', expiresAt: '2026-03-08', projectId: 0, groupId: 0 };

test('the mail about a token names it, its end and whose it is', () => {
  expect(tokenMail(token, undefined)).toMatchObject({
    cause: 'token.expiring.7',
    subject: 'The token "deploy Bcc: x" ends on 2026-03-08',
    body: expect.stringContaining('Your personal access token, "deploy Bcc: x", ends on 2026-03-08 at 00:00 UTC.'),
  });
  const ofGroup = tokenMail({ ...token, groupId: 3 }, 'team');
  expect(ofGroup.subject).toBe('team | The token "deploy Bcc: x" ends on 2026-03-08');
  expect(ofGroup.body).toContain('You get this mail because you manage team.');
});

test('it goes to the owner, to Maintainers of the project, or to Owners of the group', () => {
  expect([
    tokenMailLevel(token),
    tokenMailLevel({ projectId: 2, groupId: 0 }),
    tokenMailLevel({ projectId: 0, groupId: 3 }),
  ]).toEqual([0, 40, 50]);
});
