import { importPlaceholderMail } from './import-placeholder-mail';

test('who is no member gets one mail about a project, and reads its id alone', () => {
  const asked = { placeholderId: 7, projectId: 3, login: 'octocat' };
  const mail = importPlaceholderMail(asked, undefined);
  expect(mail).toMatchObject({
    ...{ cause: 'import_placeholder.project.3', projectId: 0, accessLevel: 0, subject: 'Are you "octocat"?' },
  });
  expect(mail.body).toMatch(/^What "octocat" wrote at another forge was imported into a project here\. /);
  expect(mail.body).toContain('\n- POST /api/v4/projects/3/import/placeholders/7/accept\n');
  expect(importPlaceholderMail({ ...asked, placeholderId: 8 }, undefined).cause).toBe(mail.cause);
});

test.each(['Your account is locked, go to https://evil.example', 'evil.example', 'x'.repeat(40)])(
  'who is no member reads nothing of a login like %p',
  (login) => {
    const { subject, body } = importPlaceholderMail({ placeholderId: 7, projectId: 3, login }, undefined);
    expect(subject).toBe('Are you the author of what was imported?');
    expect(body).toMatch(/^What somebody wrote at another forge was imported/);
    expect(body).not.toContain(login);
  },
);

test('the mail to who is asked to take a place says where to answer, on lines of its own', () => {
  const mail = importPlaceholderMail({ placeholderId: 7, projectId: 3, login: 'octo\r\ncat' }, 'team/web');
  expect(mail).toMatchObject({
    ...{ cause: 'import_placeholder.7', projectId: 3, accessLevel: 10, subject: 'team/web | Are you "octo cat"?' },
  });
  expect(mail.body).toMatch(/^What "octo cat" wrote at another forge was imported into team\/web\. /);
  for (const answer of ['accept', 'reject'])
    expect(mail.body).toContain(`\n- POST /api/v4/projects/3/import/placeholders/7/${answer}\n`);
});
