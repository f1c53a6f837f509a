import { type Area, type RecordWriter, recordWriter } from '@switchyard/service';
import type { KeepAvatar } from '../avatars';
import { type DirectoryWriter, directoryHead } from '../directory';
import type { Edges } from '../edges';
import type { Owners } from '../members';
import type { CurrentSettings } from '../settings';
import { createProject } from './application/create-project';
import { deleteProject, restoreProject } from './application/delete-project';
import { followPushes } from './application/follow-pushes';
import { createForkRelation, deleteForkRelation, forkProject } from './application/fork-project';
import { type ImportProjects, importProjects } from './application/import-project';
import type { ProjectStore } from './application/project.ports';
import { readProjects } from './application/read-projects';
import { starProject } from './application/star-project';
import { transferNamedProject, transferProject } from './application/transfer-project';
import { archiveProject, setDefaultBranch, updateProject } from './application/update-project';
import { forkStore } from './storage/fork.store';
import { importStore } from './storage/import.store';
import { projectStore } from './storage/project.store';
import { starStore } from './storage/star.store';
import { branchesOf } from './transport/branch.client';
import { copySubscription } from './transport/copy.subscription';
import { forkHandler } from './transport/fork.handler';
import { importedProjectHandler } from './transport/imported-project.handler';
import { projectHandler } from './transport/project.handler';
import { projectOverrides, projectRecord } from './transport/project.record';
import { repositorySubscription } from './transport/repository.subscription';
import { starHandler } from './transport/star.handler';

/** A page of projects the viewer may see. */
export type ListProjects = ProjectStore['list'];

/** Moves a project, by id or full path, to a namespace, by id or full path. */
export type TransferProject = ReturnType<typeof transferNamedProject>;

/** Projects, and what groups do with them. */
export interface ProjectArea extends Area {
  readonly listProjects: ListProjects;
  readonly transferProject: TransferProject;
  /** Takes the settings of an archive, and what stands above them. */
  readonly records: Readonly<Record<'project' | 'project_overrides', RecordWriter>>;
  /** Level of a user in a project. */
  readonly levelOf: ImportProjects['levelOf'];
}

/** Projects, their stars, and what pushes say of them. */
export function composeProjects(
  { config, db, observe, peer }: Edges,
  writer: DirectoryWriter,
  { owners, settings, keepAvatar }: { owners: Owners; settings: CurrentSettings; keepAvatar: KeepAvatar },
): ProjectArea {
  const projects = projectStore(db, writer, owners);
  const stars = starStore(db);
  const tier = config.SWITCHYARD_TIER;
  const forks = forkStore(writer, owners);
  const given = { projects, forks, tier, keepAvatar, settings };
  const { list: listProjects, get: getProject } = readProjects(given);
  const { follow, copied, ...useCases } = observe('projects', {
    createProject: createProject(given),
    updateProject: updateProject(given),
    archiveProject: archiveProject(given),
    setDefaultBranch: setDefaultBranch(given),
    transferProject: transferProject(given),
    deleteProject: deleteProject(given),
    restoreProject: restoreProject(given),
    listProjects,
    getProject,
    starProject: starProject({ projects, stars }),
    listStarrers: stars.starrers,
    follow: followPushes(given),
    copied: forks.copied,
  });
  const forking = observe('projects', {
    forkProject: forkProject({
      ...given,
      hasBranch: branchesOf(peer('merge-requests'), () => directoryHead(db)),
    }),
    createForkRelation: createForkRelation(given),
    deleteForkRelation: deleteForkRelation(given),
  });
  const imports = observe('imports', importProjects({ ...given, imports: importStore(db) }));
  const instance = { tier, externalUrl: config.SWITCHYARD_EXTERNAL_URL };
  return {
    services: [
      projectHandler(useCases, instance),
      starHandler(useCases, instance),
      forkHandler(forking, instance),
      importedProjectHandler(imports),
    ],
    consumers: [
      { group: 'groups-admin', subscriptions: [repositorySubscription(follow)] },
      { group: 'groups-admin.copies', subscriptions: [copySubscription(copied)] },
    ],
    records: {
      project: recordWriter(projectRecord, imports.setAll),
      project_overrides: recordWriter(projectOverrides, imports.setAll),
    },
    levelOf: imports.levelOf,
    listProjects: projects.list,
    transferProject: transferNamedProject(given),
  };
}
