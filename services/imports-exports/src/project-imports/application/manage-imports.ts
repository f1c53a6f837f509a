import { randomUUID } from 'node:crypto';
import { AppError, type ErrorKind, invalidParams, isAppError, notFound, unauthorized } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { logger } from '@switchyard/telemetry';
import { answerInTime, deadline, type ForgeKind, ForgeProblem, invalidUrl } from '../../forges';
import {
  hasEnded,
  type ImportAuthor,
  type ImportFailure,
  isProjectName,
  type NewImport,
  type Refresh,
  type StageName,
  stagesWith,
} from '../domain/project-import';
import type { ImportCounts, ImportedProject, ShownImport } from '../domain/shown-import';
import type { Forges, ImportStore, ImportTargets } from './imports.ports';

faultPoints.push('project_import.added', 'project_import.canceled', 'project_import.refreshed');

/** What the use cases work with. */
export interface ImportEdges {
  readonly imports: ImportStore;
  readonly forges: Forges;
  readonly targets: ImportTargets;
  /** Files that the texts of an import link to. */
  readonly fileCounts: (importId: number) => Promise<ImportCounts>;
  /** Has the new import worked on soon. */
  readonly workSoon: () => void;
  /** Cancels the import of an archive into a project; undefined where none is under way. */
  readonly cancelArchive: (projectId: number, requestId: string) => Promise<ImportedProject | undefined>;
  /** What of an archive was left out of a project, of which no forge knows. */
  readonly failuresOfArchive: (projectId: number) => Promise<readonly ImportFailure[]>;
}

const cannotCancel = (status: string): AppError =>
  new AppError('bad_request', `The import cannot be canceled because it is ${status}`);

const cannotRefresh = (status: string): AppError =>
  new AppError('bad_request', `The import cannot be refreshed because it is ${status}`);

/** An import that is asked for, as far as the caller says it. */
export type WantedImport = Pick<
  NewImport,
  'forge' | 'host' | 'namespace' | 'pageSize' | 'optimistic' | 'files' | 'requestId'
> & {
  readonly author: ImportAuthor;
  /** As `Forges.open` takes it. */
  readonly token: string;
  /** As `RepositoryForge.repository` takes it. */
  readonly repository: string;
  /** Undefined for that of the repository. */
  readonly name: string | undefined;
  /** Optional stages that are asked for. */
  readonly optionalStages: readonly StageName[];
};

/** What a refresh is asked for with; each kind of forge takes what its import takes. */
export interface ForgeCredentials {
  /** Empty for none. */
  readonly personalAccessToken: string;
  /** Empty for none. */
  readonly username: string;
  /** Empty for none. */
  readonly password: string;
  /** Empty for none. */
  readonly serverUsername: string;
}

/** Credentials that a kind of forge takes, by their public names. */
const credentialNames: Readonly<Record<ForgeKind, readonly (keyof ForgeCredentials)[]>> = {
  github: ['personalAccessToken'],
  bitbucket: ['username', 'password'],
  bitbucket_server: ['serverUsername', 'personalAccessToken'],
};
const publicNames: Readonly<Record<keyof ForgeCredentials, string>> = {
  personalAccessToken: 'personal_access_token',
  username: 'forgeb_username',
  password: 'forgeb_app_password',
  serverUsername: 'forgeb_server_username',
};

/** The token as `Forges.open` takes it. @throws AppError invalid_params for those of another kind of forge */
export function tokenOf(forge: ForgeKind, given: ForgeCredentials): string {
  const names = credentialNames[forge];
  const problems = Object.entries(publicNames).flatMap(([key, name]) => {
    const isTaken = names.includes(key as keyof ForgeCredentials);
    const isGiven = given[key as keyof ForgeCredentials] !== '';
    return isTaken === isGiven ? [] : [isTaken ? `${name} is missing` : `${name} is not supported for this forge`];
  });
  if (problems.length > 0) throw invalidParams(problems.join(', '));
  return names.map((name) => given[name]).join(':');
}

/** A refusal in the form of the family of a forge (G-4.19-7). */
const refusal = (forge: ForgeKind, kind: ErrorKind, text: string): AppError =>
  new AppError(kind, forge === 'github' ? { errors: text } : { message: { error: text } });

const badAddress = ({ forge, host }: Pick<WantedImport, 'forge' | 'host'>): AppError =>
  forge === 'github' ? invalidUrl(host) : refusal(forge, 'invalid', `Invalid URL: ${host}`);

/** What a forge's refusal is to the caller (G-4.19-1, G-4.19-4). */
function refusalOfForge(error: unknown, wanted: Pick<WantedImport, 'forge' | 'host'>): unknown {
  if (!(error instanceof ForgeProblem)) return error;
  const { forge } = wanted;
  if (error.kind === 'address') return badAddress(wanted);
  if (error.kind === 'token')
    return forge === 'github'
      ? new AppError('unauthorized', { error: 'Wrong credentials' })
      : refusal(forge, 'unauthorized', 'Wrong credentials');
  const text = `Import failed due to an error of the forge: ${error.message}`;
  const isKnown = forge !== 'github' && (error.kind === 'forbidden' || error.kind === 'not_found');
  return refusal(forge, isKnown ? error.kind : 'unprocessable', text);
}

const sentence = (field: string, text: string): string => `${field.charAt(0).toUpperCase()}${field.slice(1)} ${text}`;

/** What groups-admin's refusal of the project is to the caller (G-4.19-1); undefined where it is none. */
function refusalOfProject(error: unknown, forge: ForgeKind): AppError | undefined {
  const refused = (text: string): AppError => refusal(forge, 'unprocessable', text);
  if (isAppError(error, 'not_found')) return refused('Namespace or group to import repository into does not exist.');
  if (isAppError(error, 'forbidden')) return refused('You are not allowed to import projects in this namespace.');
  if (!isAppError(error, 'invalid')) return undefined;
  const { message } = error.body;
  if (typeof message !== 'object' || message === null) return refused(String(message));
  const texts = Object.entries(message as Record<string, string[]>).flatMap(([field, problems]) =>
    problems.map((one) => sentence(field, one)),
  );
  return refused(texts.join(', '));
}

/** Milliseconds for all that the first stage does again; no row is written after half a minute of a request. */
const bestEffortMs = 5_000;

/**
 * Waits for what the first stage does again, in all for `bestEffortMs`: undefined where it fails, or is not done by then.
 * @param waiting aborted then, for what is not done
 */
function bestEffort(waiting: AbortController): <T>(done: Promise<T>) => Promise<T | undefined> {
  const { late } = deadline(waiting, bestEffortMs, new Error('it takes too long'));
  return (done) =>
    Promise.race([done, late]).catch((error: unknown) => {
      logger.warn({ err: error }, 'the numbers of an import are kept later');
      return undefined;
    });
}

/** The use cases of imports; the gateway has checked that the caller sees the project of a call. */
export function manageImports(edges: ImportEdges) {
  const { imports, forges, targets, fileCounts, workSoon, cancelArchive, failuresOfArchive } = edges;
  return {
    /** Begins an import: its project is there afterwards. Fails with `invalid`, `unauthorized`, `forbidden`, `not_found`, `unprocessable`. */
    async start({ token, repository: asked, name, optionalStages, ...wanted }: WantedImport): Promise<ShownImport> {
      if (wanted.author.userId === 0) throw unauthorized();
      if (name !== undefined && !isProjectName(name)) throw invalidParams('new_name is invalid');
      if (forges.problemOf(wanted) !== undefined) throw badAddress(wanted);
      const waiting = new AbortController();
      const { signal } = waiting;
      const forge = forges.open(wanted, token, signal);
      const repository = await answerInTime(waiting, forge.repository(asked)).catch((error: unknown) => {
        throw refusalOfForge(error, wanted);
      });
      const orLater = bestEffort(waiting);
      const highest = await orLater(forge.highestNumbers(repository));
      const made = { ...wanted, key: randomUUID(), repository, name: name ?? repository.name };
      // Before the project, so that one whose process dies is gone on with.
      const lease = await imports.add(made, token, stagesWith(optionalStages));
      faultPoint('project_import.added');
      try {
        const project = await targets.createProject(made, wanted.requestId);
        // It may wait for long behind another import of its author.
        if (highest !== undefined)
          await orLater(targets.reserveNumbers(project, highest, { requestId: wanted.requestId, signal }));
        await imports.setProject(lease, project.projectId);
        const one = { ...lease.import, projectId: project.projectId };
        return { project, import: one, stages: [], failures: [] };
      } catch (error) {
        const refused = refusalOfProject(error, wanted.forge);
        // Of any other failure it is not known what became of the project: the import goes on.
        if (refused === undefined) throw error;
        await imports.remove(lease);
        throw refused;
      } finally {
        await imports.release(lease, 0, 'stopped');
        workSoon();
      }
    },

    /**
     * Does the import of a project again. Fails with `not_found` for one that was not imported from a forge,
     * `bad_request` for one that runs, `invalid_params`, `unprocessable` where another repository has the name now; else as
     * `start`.
     */
    async refresh(
      projectId: number,
      credentials: ForgeCredentials,
      { author, requestId }: Pick<Refresh, 'author' | 'requestId'>,
    ): Promise<ShownImport> {
      const found = await imports.ofProject(projectId);
      if (found === undefined) throw notFound();
      const token = tokenOf(found.forge, credentials);
      if (!hasEnded(found.status)) throw cannotRefresh(found.status);
      if (forges.problemOf(found) !== undefined) throw badAddress(found);
      const waiting = new AbortController();
      const forge = forges.open(found, token, waiting.signal);
      const repository = await answerInTime(waiting, forge.repository(found.repository.fullName)).catch(
        (error: unknown) => {
          throw refusalOfForge(error, found);
        },
      );
      // Who takes a name that became free is not who had it.
      if (found.repository.id !== undefined && found.repository.id !== repository.id)
        throw refusal(found.forge, 'unprocessable', 'The repository at the forge is not the one that was imported');
      if (!(await imports.refresh(found, { author, requestId, repository }, token))) throw cannotRefresh('started');
      faultPoint('project_import.refreshed');
      workSoon();
      const project = { ...(await targets.project(projectId, requestId)), importStatus: 'scheduled' };
      return { project, import: { ...found, status: 'scheduled' }, stages: [], failures: [] };
    },

    /** Cancels the import of a project. Fails with `not_found` without one, `bad_request` for one that has ended (G-4.19-2). */
    async cancel(projectId: number, requestId: string): Promise<ImportedProject> {
      const found = await imports.ofProject(projectId);
      if (found === undefined) {
        const ofArchive = await cancelArchive(projectId, requestId);
        if (ofArchive !== undefined) return ofArchive;
        const { importType, importStatus } = await targets.project(projectId, requestId).catch((error: unknown) => {
          throw isAppError(error, 'not_found') ? notFound() : error;
        });
        if (importType === '') throw notFound();
        throw cannotCancel(importStatus);
      }
      const canceled = await imports.cancel(projectId);
      if (canceled === undefined) {
        const status = (await imports.ofProject(projectId))?.status ?? 'finished';
        throw cannotCancel(status);
      }
      faultPoint('project_import.canceled');
      try {
        await targets.setStatus(projectId, 'canceled', undefined, requestId);
        await imports.setAnnounced(canceled.id, 'canceled');
      } catch (error) {
        logger.warn({ err: error, project_id: projectId }, 'a cancelled import is announced later');
        workSoon();
      }
      return { ...(await targets.project(projectId, requestId)), importStatus: 'canceled' };
    },

    /** How the import of a project stands. Fails with `not_found`. */
    async get(projectId: number, requestId: string): Promise<ShownImport> {
      const [project, found] = await Promise.all([targets.project(projectId, requestId), imports.ofProject(projectId)]);
      if (found === undefined)
        return { project, import: found, stages: [], failures: await failuresOfArchive(projectId) };
      const [stages, failures, files] = await Promise.all([
        imports.stages(found.id),
        imports.failures(found.id),
        found.files ? fileCounts(found.id) : undefined,
      ]);
      return { project, import: found, stages, failures, files };
    },
  };
}

/** What `manageImports` gives. */
export type Imports = ReturnType<typeof manageImports>;
