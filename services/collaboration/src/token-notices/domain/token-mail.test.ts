import { tokenMail, tokenMailLevel } from './token-mail';

const token = {
  kind: 'access',
  id: 7,
  name: 'deploy\r\nBcc: x',
  expiresAt: '2026-03-08',
  projectId: 0,
  groupId: 0,
} as const;

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

test('a deploy token ends at a time, and cannot be rotated', () => {
  const expiresAt = new Date('2026-03-08T09:30:00Z');
  const mail = tokenMail({ ...token, kind: 'deploy', expiresAt, projectId: 2 }, 'team/web');
  expect([mail.cause, mail.subject]).toEqual([
    'deploy_token.expiring.7',
    'team/web | The token "deploy Bcc: x" ends on 2026-03-08',
  ]);
  expect(mail.body).toContain('A deploy token of team/web, "deploy Bcc: x", ends on 2026-03-08 09:30:00 UTC.');
  expect(mail.body).toContain('\nMake another one before that day');
});

test('it goes to the owner, to Maintainers of the project, or to Owners of the group', () => {
  expect([
    tokenMailLevel(token),
    tokenMailLevel({ projectId: 2, groupId: 0 }),
    tokenMailLevel({ projectId: 0, groupId: 3 }),
  ]).toEqual([0, 40, 50]);
});
