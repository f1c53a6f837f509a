import { notFound } from '@switchyard/errors';
import { displayText } from '@switchyard/texts';
import type { Transact, Viewer } from '../../directory';
import { note, refuse, taken } from '../../rules';
import { type ProjectChange, projectProblems, withinTier } from '../domain/project';
import type { ProjectRow } from '../domain/project-row';
import { refuseTaken } from './create-project';
import type { ProjectStore } from './ports';

/** Changes a project; a path it had redirects (G-1-7). */
export const updateProject =
  ({ transaction, projects, tier }: { transaction: Transact; projects: ProjectStore; tier: string }) =>
  async (actor: Viewer, id: number, { name, ...others }: ProjectChange): Promise<ProjectRow> => {
    const wanted = { ...others, ...(name === undefined ? {} : { name: displayText(name) }) };
    const present = await projects.find(id, actor);
    if (present === undefined) throw notFound('Project');
    await transaction(async (tx) => {
      // The namespace first, as when a project is made: it guards the names in it and how open they may be.
      const expected = await projects.lockHome(tx, present.namespace_id, actor.userId);
      const locked = await projects.lock(tx, id);
      if (locked === undefined) throw notFound('Project');
      // Moved meanwhile: its new namespace guards it now.
      const home =
        locked.namespace_id === expected?.id
          ? expected
          : await projects.lockHome(tx, locked.namespace_id, actor.userId);
      if (home === undefined) throw notFound('Project');
      const change = withinTier(wanted, home.tier ?? tier);
      const problems = projectProblems(change, {
        kind: home.kind,
        visibility: home.visibility,
        projectCreationLevel: home.project_creation_level ?? 'developer',
      });
      const renamed = change.path !== undefined && change.path !== locked.path;
      const conflicts = await projects.taken(tx, locked.namespace_id, {
        name: change.name,
        path: renamed ? change.path : undefined,
        except: id,
      });
      if (conflicts.name) note(problems, 'name', [taken]);
      if (conflicts.path) note(problems, 'path', [taken]);
      refuse(problems);
      if (renamed) await projects.redirect(tx, id);
      await projects.change(tx, id, change);
    }).catch(refuseTaken);
    const project = await projects.find(id, actor);
    if (project === undefined) throw notFound('Project');
    return project;
  };

/** Archives a project, or takes it out of the archive. */
export const archiveProject =
  ({ transaction, projects }: { transaction: Transact; projects: ProjectStore }) =>
  async (actor: Viewer, id: number, archived: boolean): Promise<ProjectRow> => {
    await transaction(async (tx) => {
      await projects.archive(tx, id, archived);
    });
    const project = await projects.find(id, actor);
    if (project === undefined) throw notFound('Project');
    return project;
  };

/** Notes the default branch that the first push to a repository has made. */
export const setDefaultBranch =
  ({ transaction, projects }: { transaction: Transact; projects: ProjectStore }) =>
  (id: number, branch: string): Promise<void> =>
    transaction(async (tx) => {
      const locked = await projects.lock(tx, id);
      if (locked === undefined) throw notFound('Project');
      await projects.change(tx, id, { default_branch: branch });
    });
