import { notFound } from '@switchyard/errors';
import { displayText } from '@switchyard/texts';
import type { AvatarChange, KeepAvatar } from '../../avatars';
import type { Viewer } from '../../directory';
import type { ProjectChange } from '../domain/project';
import { decideUpdate } from '../domain/project-change';
import type { ProjectRow } from '../domain/project-row';
import type { ProjectStore } from './project.ports';

/** Changes a project; a path it had redirects (G-1-7). Fails with `not_found`, `invalid`. */
export const updateProject =
  ({ projects, tier, keepAvatar }: { projects: ProjectStore; tier: string; keepAvatar: KeepAvatar }) =>
  async (
    actor: Viewer,
    id: number,
    { name, ...others }: ProjectChange,
    avatarChange?: AvatarChange,
  ): Promise<ProjectRow> => {
    const change = { ...others, ...(name === undefined ? {} : { name: displayText(name) }) };
    const before = await projects.find(id, actor);
    if (before === undefined) throw notFound('Project');
    const namespace = { kind: 'own', id: before.namespace_id } as const;
    const found = await keepAvatar(avatarChange, (avatar) =>
      projects.change({ id, actorId: actor.userId, namespace, names: change, avatar }, (project, facts) =>
        decideUpdate(project, change, facts, tier, avatarChange),
      ),
    );
    const project = found ? await projects.find(id, actor) : undefined;
    if (project === undefined) throw notFound('Project');
    return project;
  };

/** Archives a project, or takes it out of the archive. Fails with `not_found`. */
export const archiveProject =
  ({ projects }: { projects: ProjectStore }) =>
  async (actor: Viewer, id: number, archived: boolean): Promise<ProjectRow> => {
    await projects.change({ id, actorId: actor.userId }, () => ({ kind: 'archived', archived }));
    const project = await projects.find(id, actor);
    if (project === undefined) throw notFound('Project');
    return project;
  };

/** Records the default branch that the first push to a repository has created. Fails with `not_found`. */
export const setDefaultBranch =
  ({ projects }: { projects: ProjectStore }) =>
  async (id: number, branch: string): Promise<void> => {
    const change = { default_branch: branch };
    const found = await projects.change({ id, actorId: 0 }, () => ({ kind: 'changed', change, redirects: false }));
    if (!found) throw notFound('Project');
  };
