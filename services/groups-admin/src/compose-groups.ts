import { createHmac } from 'node:crypto';
import { type Repeating, repeat, type ServiceImplementation } from '@switchyard/rpc';
import type { Dependencies } from './dependencies';
import { createGroup } from './groups/application/create-group';
import { deleteGroup, restoreGroup } from './groups/application/delete-group';
import { readGroups } from './groups/application/read-groups';
import { transferGroup } from './groups/application/transfer-group';
import { updateGroup } from './groups/application/update-group';
import { groupStore } from './groups/storage/group.store';
import { groupHandler } from './groups/transport/group.handler';
import { manageLabels } from './labels/application/manage-labels';
import { labelStore } from './labels/storage/label.store';
import { labelHandler } from './labels/transport/label.handler';
import { manageMembers } from './members/application/manage-members';
import { memberStore } from './members/storage/member.store';
import { memberHandler } from './members/transport/member.handler';
import { manageMilestones } from './milestones/application/manage-milestones';
import { milestoneStore } from './milestones/storage/milestone.store';
import { milestoneHandler } from './milestones/transport/milestone.handler';
import { createProject } from './projects/application/create-project';
import { deleteProject } from './projects/application/delete-project';
import { readProjects } from './projects/application/read-projects';
import { transferProject } from './projects/application/transfer-project';
import { archiveProject, setDefaultBranch, updateProject } from './projects/application/update-project';
import { projectStore } from './projects/storage/project.store';
import { projectHandler } from './projects/transport/project.handler';
import { purge } from './purge/purge';
import { purgeStore } from './purge/purge.store';

/** What groups and projects need beside the rest. */
export interface GroupOptions {
  /** Key material (D2). */
  secret: string;
  /** Days between a deletion and its purge. */
  deletionDelayDays: number;
}

/** Milliseconds between two looks for what has expired or is to be purged. */
const jobInterval = 5_000;

/** Groups, projects, members, labels and milestones: their RPCs, and the jobs that purge and expire, which `startJobs` repeats and `runJobs` runs once. */
export function composeGroups(
  { db, tier, externalUrl }: Pick<Dependencies, 'db' | 'tier' | 'externalUrl'>,
  { secret, deletionDelayDays }: GroupOptions,
): { services: ServiceImplementation[]; startJobs: () => Repeating[]; runJobs: () => Promise<number> } {
  const instance = { tier, externalUrl: externalUrl.replace(/\/+$/, '') };
  const stores = { db, groups: groupStore(db), projects: projectStore(db), members: memberStore(db), tier };
  const members = manageMembers(stores);
  const purgeDue = purge({ db, store: purgeStore(), delayDays: deletionDelayDays });
  // Derived, so that it is the same on every replica and in no dump of the database.
  const runnersToken = (groupId: number): string =>
    `GR1348941${createHmac('sha256', secret).update(`runners of group ${groupId}`).digest('base64url').slice(0, 20)}`;
  return {
    services: [
      groupHandler(
        {
          createGroup: createGroup(stores),
          updateGroup: updateGroup(stores),
          transferGroup: transferGroup(stores),
          deleteGroup: deleteGroup(stores),
          restoreGroup: restoreGroup(stores),
          readGroups: readGroups(stores),
          runnersToken,
        },
        instance,
      ),
      projectHandler(
        {
          createProject: createProject(stores),
          updateProject: updateProject(stores),
          archiveProject: archiveProject(stores),
          setDefaultBranch: setDefaultBranch(stores),
          transferProject: transferProject(stores),
          deleteProject: deleteProject(stores),
          readProjects: readProjects(stores),
        },
        instance,
      ),
      memberHandler(members, instance),
      labelHandler(manageLabels({ db, labels: labelStore(db) })),
      milestoneHandler(manageMilestones({ db, milestones: milestoneStore(db) }), instance),
    ],
    startJobs: () => [
      repeat('expired memberships', jobInterval, () => members.expire()),
      repeat('deleted groups and projects', jobInterval, purgeDue),
    ],
    runJobs: async () => (await members.expire()) + (await purgeDue()),
  };
}
