import { exportMail } from './export-mail';

const ended = {
  exportId: 7,
  projectId: 2,
  groupId: 0,
  fullPath: 'acme/app',
  pipelineId: 11,
  problem: '',
  downloadUrl: 'https://forge.example/api/v4/dependency_list_exports/7/download',
  expiresAt: new Date('2026-01-02T04:04:05Z'),
};

test('the mail about an export says where its file is and until when, or why there is none', () => {
  expect(exportMail(ended)).toMatchObject({
    cause: 'dependency_list_export.7',
    projectId: 2,
    accessLevel: 30,
    subject: 'acme/app | Dependency list exported',
    body: expect.stringMatching(
      /of acme\/app, pipeline #11 has been exported[\s\S]*\/7\/download[\s\S]*removed at .*04:04/,
    ),
  });
  const failed = exportMail({ ...ended, pipelineId: 0, problem: 'the group has more than 2000 projects\0' });
  expect(failed.subject).toBe('acme/app | Dependency list not exported');
  expect(failed.body).toMatch(
    /^The dependency list of acme\/app could not be exported: the group has more than 2000 projects\ufffd\n/,
  );
});
