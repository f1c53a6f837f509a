import type { Area } from '@switchyard/service';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import type { Owners } from '../members';
import { createProject } from './application/create-project';
import { deleteProject } from './application/delete-project';
import { followPushes } from './application/follow-pushes';
import type { ProjectStore } from './application/project.ports';
import { readProjects } from './application/read-projects';
import { transferProject } from './application/transfer-project';
import { archiveProject, setDefaultBranch, updateProject } from './application/update-project';
import { projectStore } from './storage/project.store';
import { projectHandler } from './transport/project.handler';
import { repositorySubscription } from './transport/repository.subscription';

/** A page of projects the viewer may see. */
export type ListProjects = ProjectStore['list'];

/** Projects, and the list of them that a group shows. */
export interface ProjectArea extends Area {
  readonly listProjects: ListProjects;
}

/** Projects and what pushes say of them. */
export function composeProjects({ config, db, observe }: Edges, writer: DirectoryWriter, owners: Owners): ProjectArea {
  const projects = projectStore(db, writer, owners);
  const tier = config.SWITCHYARD_TIER;
  const given = { projects, tier };
  const { list: listProjects, get: getProject } = readProjects(given);
  const { follow, ...useCases } = observe('projects', {
    createProject: createProject(given),
    updateProject: updateProject(given),
    archiveProject: archiveProject(given),
    setDefaultBranch: setDefaultBranch(given),
    transferProject: transferProject(given),
    deleteProject: deleteProject(given),
    listProjects,
    getProject,
    follow: followPushes(given),
  });
  return {
    services: [projectHandler(useCases, { tier, externalUrl: config.SWITCHYARD_EXTERNAL_URL })],
    consumers: [{ group: 'groups-admin', subscriptions: [repositorySubscription(follow)] }],
    listProjects: projects.list,
  };
}
