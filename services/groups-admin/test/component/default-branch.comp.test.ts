import { sql } from '@switchyard/database/sql';
import { ProjectServiceService } from '@switchyard/protos/groups_admin/v1/project';
import { groupClients, refusal } from '../support/group-clients';
import { type RunningGroups, runGroups, shown } from '../support/running-groups';

let running: RunningGroups;
beforeAll(async () => {
  running = await runGroups();
});
afterAll(() => running.close());

const { projects, newProject } = groupClients(() => running);

test('the default branch that a first push made is shown, reaches the directory, and is set by merge-requests alone', async () => {
  const ada = await running.user('ada');
  const project = await newProject(ada, 0, 'engine');
  const service = running.asService('merge-requests', ProjectServiceService);
  await service.setDefaultBranch({ projectId: project.id, branch: 'trunk' });
  await service.setDefaultBranch({ projectId: project.id, branch: 'trunk' });
  const seen = await shown(
    'Project',
    projects(ada).getProject({ projectId: project.id } as never, { project: project.id }),
  );
  expect(seen).toMatchObject({ default_branch: 'trunk' });
  expect(await running.db.query(sql`select default_branch from projects where id = ${project.id}`)).toEqual([
    { default_branch: 'trunk' },
  ]);
  expect(await refusal(projects(ada).setDefaultBranch({ projectId: project.id, branch: 'x' }))).toMatchObject({
    kind: 'forbidden',
  });
  expect(await refusal(service.setDefaultBranch({ projectId: 999_999, branch: 'x' }))).toMatchObject({
    kind: 'not_found',
  });
});
