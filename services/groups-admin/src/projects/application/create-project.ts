import { isUniqueViolation, type Tx } from '@switchyard/database';
import { forbidden, invalid, notFound } from '@switchyard/errors';
import { appendToOutbox, projectEvents } from '@switchyard/events';
import { displayText } from '@switchyard/texts';
import type { DirectoryTx, Transact, Viewer } from '../../directory';
import type { Owners } from '../../members';
import { note, pathFromName, refuse, taken } from '../../rules';
import { mayCreateProject, type ProjectChange, type ProjectHome, projectProblems, withinTier } from '../domain/project';
import type { HomeRow, ProjectRow } from '../domain/project-row';
import type { ProjectStore } from './ports';

/** A project to make. */
export interface CreateProject {
  /** Namespace; the owner's own when undefined. */
  namespaceId: number | undefined;
  /** User it is made for, by an administrator; the actor when undefined. */
  userId: number | undefined;
  initializeWithReadme: boolean;
  settings: ProjectChange;
}

const isVisible = (home: HomeRow, actor: Viewer): boolean =>
  !home.deleting &&
  (actor.admin ||
    home.kind === 'user' ||
    home.level > 0 ||
    home.member_below ||
    home.visibility === 'public' ||
    (home.visibility === 'internal' && !actor.external));

const rulesOf = (home: HomeRow): ProjectHome => ({
  kind: home.kind,
  visibility: home.visibility,
  projectCreationLevel: home.project_creation_level ?? 'developer',
});

/** A namespace in which the actor may make projects, locked. */
export async function lockHomeFor(
  tx: Tx,
  projects: ProjectStore,
  namespaceId: number,
  actor: Viewer,
  forUser = actor.userId,
): Promise<{ home: HomeRow; rules: ProjectHome }> {
  const home = await projects.lockHome(tx, namespaceId, forUser);
  if (home === undefined || !isVisible(home, actor)) throw notFound('Namespace');
  const rules = rulesOf(home);
  mayCreateProject({ admin: actor.admin, level: home.level }, rules);
  return { home, rules };
}

/** Makes the owner of a user's namespace an Owner of a project that comes into it, as the Owner of a group is through the group. */
export async function welcomeOwner(
  tx: DirectoryTx,
  owners: Owners,
  home: HomeRow,
  projectId: number,
  actorId: number,
): Promise<void> {
  if (home.owner_id !== null) await owners.add(tx, { kind: 'project', id: projectId }, home.owner_id, actorId);
}

/** Turns the violation of a unique index into the text for its field, when another project was quicker. */
export function refuseTaken(error: unknown): never {
  if (isUniqueViolation(error, 'projects_path_unique')) throw invalid({ path: [taken] });
  if (isUniqueViolation(error, 'projects_name_unique')) throw invalid({ name: [taken] });
  throw error;
}

/** Makes a project (G §10). The repository is made on first touch by the service that owns it (D7). */
export const createProject =
  ({
    transaction,
    projects,
    owners,
    tier,
  }: {
    transaction: Transact;
    projects: ProjectStore;
    owners: Owners;
    tier: string;
  }) =>
  async (actor: Viewer, wanted: CreateProject): Promise<ProjectRow> => {
    const creator = wanted.userId ?? actor.userId;
    if (wanted.userId !== undefined && (await projects.findUser(String(wanted.userId))) === undefined)
      throw notFound('User');
    const namespaceId = wanted.namespaceId ?? (await projects.ownNamespace(creator));
    const given = wanted.settings;
    const name = displayText(given.name ?? '') || given.path || '';
    const path = given.path || pathFromName(name);
    const id = await transaction(async (tx) => {
      const { home, rules } = await lockHomeFor(tx, projects, namespaceId, actor, creator);
      const settings: ProjectChange = {
        ...withinTier(given, home.tier ?? tier),
        name,
        path,
        visibility: given.visibility ?? 'private',
        default_branch: given.default_branch || home.default_branch || 'main',
      };
      if (home.full && !actor.admin) throw forbidden('Your project limit has been reached.');
      const problems = projectProblems(settings, rules);
      const conflicts = await projects.taken(tx, home.id, { name, path });
      if (conflicts.name) note(problems, 'name', [taken]);
      if (conflicts.path) note(problems, 'path', [taken]);
      refuse(problems);
      const created = await projects.insert(tx, {
        ...settings,
        namespace_id: home.id,
        creator_id: creator,
        initialize_with_readme: wanted.initializeWithReadme,
        readme_path: wanted.initializeWithReadme ? 'README.md' : undefined,
      });
      await welcomeOwner(tx, owners, home, created, actor.userId);
      await appendToOutbox(
        tx,
        projectEvents,
        { projectId: created, actorId: actor.userId, occurredAt: new Date(), fact: { $case: 'created', value: {} } },
        { id: `project_created:${created}` },
      );
      return created;
    }).catch(refuseTaken);
    const project = await projects.find(id, actor);
    if (project === undefined) throw notFound('Project');
    return project;
  };
