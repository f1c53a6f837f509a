import { notFound } from '@switchyard/errors';
import type { AvatarChange, KeepAvatar } from '../../avatars';
import type { Viewer } from '../../directory';
import type { CurrentSettings } from '../../settings';
import type { ProjectChange } from '../domain/project';
import { decideCreate, withNames } from '../domain/project-change';
import type { ProjectRow } from '../domain/project-row';
import type { ProjectStore } from './project.ports';

/** A project to create. */
export interface CreateProjectCommand {
  /** Namespace; the owner's own when undefined. */
  namespaceId: number | undefined;
  /** User for whom an administrator creates it; the actor when undefined. */
  userId: number | undefined;
  initializeWithReadme: boolean;
  settings: ProjectChange;
  avatar?: AvatarChange | undefined;
}

/**
 * Creates a project (G §10). The repository is created on first use by the service that owns it (D7).
 * Fails with `not_found`, `forbidden`, `invalid`.
 */
export const createProject =
  ({
    projects,
    tier,
    settings: current,
    keepAvatar,
  }: {
    projects: ProjectStore;
    tier: string;
    settings: CurrentSettings;
    keepAvatar: KeepAvatar;
  }) =>
  async (actor: Viewer, command: CreateProjectCommand): Promise<ProjectRow> => {
    const { userId, initializeWithReadme } = command;
    const creatorId = userId ?? actor.userId;
    if (userId !== undefined && (await projects.findUser(String(userId))) === undefined) throw notFound('User');
    const namespaceId = command.namespaceId ?? (await projects.ownNamespace(creatorId));
    const { default_project_visibility: visibility, default_branch_name: branch } = await current();
    const defaults = { visibility, branch };
    const settings = withNames(command.settings);
    const { name, path } = settings;
    const request = { namespaceId, userId: creatorId, actorId: actor.userId, name, path };
    const id = await keepAvatar(command.avatar, (avatar) =>
      projects.create({ ...request, avatar }, (facts) =>
        decideCreate(
          { actor, creatorId, initializeWithReadme, settings, tier, defaults, avatar: command.avatar },
          facts,
        ),
      ),
    );
    const project = await projects.find(id, actor);
    if (project === undefined) throw notFound('Project');
    return project;
  };
