import type { DirectoryProject, DirectoryUser } from '@switchyard/protos/groups_admin/v1/directory';
import { type Installation, startInstallation } from './installation';

/** A running service with people, and an open and a closed project, in whose feeds things happen. */
export interface ActivityFixture {
  readonly here: Installation;
  /** Maintainer of both projects. */
  readonly ada: DirectoryUser;
  /** Guest of the closed project: sees it, and neither its code nor its merge requests. */
  readonly bob: DirectoryUser;
  /** Member of nothing. */
  readonly eve: DirectoryUser;
  /** Administrator. */
  readonly root: DirectoryUser;
  readonly open: DirectoryProject;
  readonly closed: DirectoryProject;
}

/** Starts the service with the fixture; `here.close` ends it. */
export async function startActivityFixture(): Promise<ActivityFixture> {
  const here = await startInstallation();
  const { directory } = here;
  directory.user({ username: 'ghost', bot: true });
  const team = directory.namespace({ fullPath: 'team', fullName: 'Team', path: 'team', visibility: 'public' });
  const open = directory.project(team.id, { name: 'Open', path: 'open', visibility: 'public' });
  const closed = directory.project(team.id, { name: 'Closed', path: 'closed', visibility: 'private' });
  const ada = directory.user({ username: 'ada' });
  const bob = directory.user({ username: 'bob' });
  const eve = directory.user({ username: 'eve' });
  const root = directory.user({ username: 'root', admin: true });
  directory.member(ada.id, { namespaceId: team.id }, 40);
  directory.member(bob.id, { projectId: closed.id }, 10);
  await here.startHere();
  return { here, ada, bob, eve, root, open, closed };
}
