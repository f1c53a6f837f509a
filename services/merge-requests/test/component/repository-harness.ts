import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Database, openDatabase } from '@switchyard/database';
import { sql } from '@switchyard/database/sql';
import {
  AccessServiceService,
  type ResolveRequest,
  ResolveResponse_SudoRefusal,
  ResolveResponse_TokenRefusal,
} from '@switchyard/protos/groups_admin/v1/access';
import {
  MergeRequestServiceService,
  type TrackMergeRequestTimeRequest,
  UpdateMergeRequestRequest,
} from '@switchyard/protos/merge_requests/v1/merge_request';
import { Access, Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import {
  anonymous,
  connect,
  identityKey,
  type RpcClient,
  readSigner,
  readTrustedKeys,
  type ServiceDefinition,
  signClaims,
} from '@switchyard/rpc';
import { type RunningService, startService } from '@switchyard/service';
import { testDatabase, testIdentities } from '@switchyard/testkit';
import { compose as composeGateway, type Gateway } from '../../../gateway/src/compose';
import type { Peers } from '../../../gateway/src/http/clients';
import { routes as routesOfMergeRequests } from '../../../gateway/src/routes/merge-requests';
import { service } from '../../src/service';
import { areasOn, environmentOn, externalUrl } from '../support/areas';
import { silentBus, standInPeers } from '../support/stand-ins';

/** A user with a token. */
export interface Person {
  readonly id: number;
  readonly token: string;
  readonly admin?: boolean;
  readonly scopes?: readonly string[];
  /** The pipeline whose job token it is. */
  readonly job?: { readonly projectId: number; readonly pipelineId: number };
}

/** The Developer's job token of a pipeline. */
export const jobOf = (projectId: number, pipelineId: number): Person => ({
  ...people.developer,
  token: `job-token-${projectId}-${pipelineId}`,
});

function jobPerson(token: string): Person | undefined {
  const [, projectId, pipelineId] = /^job-token-(\d+)-(\d+)$/.exec(token) ?? [];
  if (projectId === undefined || pipelineId === undefined) return undefined;
  return { ...people.developer, token, job: { projectId: Number(projectId), pipelineId: Number(pipelineId) } };
}

/** A project the fake groups-admin knows. */
export interface TestProject {
  readonly id: number;
  readonly path: string;
  readonly visibility?: 'public' | 'internal' | 'private';
  readonly readme?: boolean;
  readonly defaultBranch?: string;
  readonly archived?: boolean;
  /** What its repository is copied from. */
  readonly origin?: { readonly id: number; readonly branch?: string };
  /** Levels of people in it by id, where they are not those of `people` everywhere; others are no members. */
  readonly levels?: Readonly<Record<number, number>>;
}

export const people = {
  owner: { id: 1, token: 'owner-token' },
  maintainer: { id: 2, token: 'maintainer-token' },
  developer: { id: 3, token: 'developer-token' },
  reporter: { id: 4, token: 'reporter-token' },
  outsider: { id: 5, token: 'stranger-token' },
  readOnly: { id: 3, token: 'read-only-token', scopes: ['read_repository'] },
  guest: { id: 6, token: 'guest-token' },
} satisfies Record<string, Person>;

const levels: Readonly<Record<number, number>> = { 1: 50, 2: 40, 3: 30, 4: 20, 6: 10 };

/** How collaboration calls for a person. */
const inNameOf = (person: Person, projectId = 0) => ({
  requestId: 'test',
  actor: { ...anonymous, userId: person.id, scopes: ['api'] },
  access: Access.fromPartial({
    kind: Access_Kind.KIND_PROJECT,
    id: projectId,
    level: levels[person.id] ?? 0,
    tier: 'ultimate',
  }),
});

/** The service, a gateway before it, and a groups-admin that knows a few people. */
export interface Harness {
  readonly db: Database;
  /** The areas as another process has them, on the same database and data folder. */
  readonly beside: ReturnType<typeof areasOn>;
  readonly url: string;
  readonly data: string;
  readonly announced: [number, string][];
  /** Adds a project; everybody of `people` but the outsider is a member. */
  project(given?: Partial<TestProject>): Promise<TestProject>;
  /** A request of the API. */
  api(
    person: Person | undefined,
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; body: never; headers: Headers; text: string }>;
  /** A client of the service as collaboration uses it. */
  asCollaboration<T extends ServiceDefinition>(definition: T): RpcClient<T>;
  /** The same as groups-admin uses it. */
  asGroupsAdmin<T extends ServiceDefinition>(definition: T): RpcClient<T>;
  /** The same as packages uses it. */
  asPackages<T extends ServiceDefinition>(definition: T): RpcClient<T>;
  /** The same as imports-exports uses it. */
  asImports<T extends ServiceDefinition>(definition: T): RpcClient<T>;
  /** Updates a merge request as a command of a note by a person does. */
  command(person: Person, wanted: Partial<UpdateMergeRequestRequest>): Promise<unknown>;
  /** Tracks time of a merge request as a command of a note by a person does. */
  track(person: Person, wanted: TrackMergeRequestTimeRequest): Promise<unknown>;
  /** Runs git; resolves with what it printed, on both streams. */
  git(cwd: string, ...args: string[]): Promise<string>;
  /** Runs git and expects it to fail; resolves with what it printed. */
  gitFails(cwd: string, ...args: string[]): Promise<string>;
  /** Address for git, with a person's token as the password. */
  remote(person: Person | undefined, path: string): string;
  /** Address of the service's internal HTTP port. */
  readonly serviceUrl: string;
  /** Header of a request signed by the gateway for a method, on behalf of an Owner of a project. */
  signed(method: string, projectId: number): Record<string, string>;
  /** Stops the service and leaves the gateway. */
  stopService(): Promise<void>;
  /** A new folder that goes with the harness. */
  folder(): string;
  close(): Promise<void>;
}

const run = promisify(execFile);

/** Environment of the git client: nothing of the host gets in. */
export const gitEnvironment = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: '/bin/false',
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.org',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.org',
  LC_ALL: 'C',
};

/** A database with the people in it and a folder with the keys: what outlives a process. */
export interface Ground {
  readonly databaseUrl: string;
  readonly folder: string;
  close(): Promise<void>;
}

export async function prepareGround(): Promise<Ground> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-repository-'));
  testIdentities(['gateway', 'merge-requests', 'collaboration', 'groups-admin', 'packages', 'imports-exports']).writeTo(
    folder,
  );
  const database = await testDatabase({
    sets: service.migrationSets,
  });
  const db = openDatabase({ url: database.url, applicationName: 'repository test' });
  for (const { id } of Object.values(people)) {
    await db.query(sql`
      insert into directory.users (id, username, name, state, commit_email, admin, external, bot)
      values (${id}, ${`user${id}`}, ${`User ${id}`}, 'active', ${`user${id}@example.org`}, false, false, false)
      on conflict (id) do nothing`);
  }
  await db.query(sql`
    insert into directory.namespaces (id, kind, name, path, full_path, full_name, ancestry, visibility, deleting)
    values (1, 'group', 'Group', 'group', 'group', 'Group', '{1}', 'public', false)`);
  // The tests write the replica of the directory themselves.
  await db.query(sql`update directory.state set generation = 1, refill = false`);
  await db.close();
  return {
    databaseUrl: database.url,
    folder,
    async close() {
      await database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Puts a project into the local directory, as groups-admin would. */
export async function insertProject(db: Database, id: number, given: Partial<TestProject> = {}): Promise<void> {
  const path = given.path?.split('/').at(-1) ?? `project${id}`;
  await db.query(sql`
    insert into directory.projects (id, namespace_id, name, path, visibility, default_branch, archived, deleting, creator_id,
      merge_method, squash_option, only_allow_merge_if_pipeline_succeeds, allow_merge_on_skipped_pipeline,
      only_allow_merge_if_all_discussions_are_resolved, remove_source_branch_after_merge, merge_requests_enabled, issues_enabled,
      repository_access_level, initialize_with_readme, repository_origin_id, repository_origin_branch)
    values (${id}, 1, ${`Project ${id}`}, ${path}, ${given.visibility ?? 'private'}, ${given.defaultBranch ?? 'main'},
      ${given.archived ?? false}, false, 1, 'merge', 'default_off', false, false, false, false, true, true, 'enabled',
      ${given.readme ?? false}, ${given.origin?.id ?? null}, ${given.origin?.branch ?? null})`);
}

/** Moves a project into a namespace of its own, with members of its own. */
async function separate(db: Database, id: number, levels: Readonly<Record<number, number>>): Promise<void> {
  const namespace = 1_000 + id;
  await db.query(sql`
    insert into directory.namespaces (id, kind, name, path, full_path, full_name, ancestry, visibility, deleting)
    values (${namespace}, 'group', 'Apart', ${`apart${id}`}, ${`apart${id}`}, 'Apart', array[${namespace}::bigint], 'public', false)`);
  await db.query(sql`update directory.projects set namespace_id = ${namespace} where id = ${id}`);
  for (const [userId, level] of Object.entries(levels)) {
    await db.query(sql`
      insert into directory.memberships (id, user_id, project_id, access_level)
      values (${namespace * 100 + Number(userId)}, ${Number(userId)}, ${id}, ${level})`);
  }
}

/**
 * Starts service and gateway on a ground of their own, or on a given one, which then stays.
 * @param further variables of the service
 */
export async function startHarness(given?: Omit<Ground, 'close'>, further: NodeJS.ProcessEnv = {}): Promise<Harness> {
  const ground = given === undefined ? await prepareGround() : undefined;
  const { folder, databaseUrl } = given ?? (ground as Ground);
  const db = openDatabase({ url: databaseUrl, applicationName: 'repository test' });
  const announced: [number, string][] = [];
  const context = {
    signer: readSigner('merge-requests', join(folder, 'merge-requests.pem')),
    trusted: readTrustedKeys(join(folder, 'keys.json')),
  };
  const started = async (): Promise<RunningService> => {
    const config = service.readConfig({
      ...environmentOn(databaseUrl, folder),
      ...further,
    });
    const parts = await service.compose(config, context, { bus: silentBus, peers: standInPeers(db, announced) });
    return startService(config, context, parts);
  };
  const running = await started().catch(async (error: unknown) => {
    await db.close();
    throw error;
  });

  const projectNamed = (name: string) =>
    db.one<Required<Pick<TestProject, 'id' | 'path' | 'visibility' | 'archived'>>>(sql`
      select p.id, n.full_path || '/' || p.path as path, p.visibility, p.archived
      from directory.projects p join directory.namespaces n on n.id = p.namespace_id
      where p.deleted_at is null and (p.id::text = ${name} or n.full_path || '/' || p.path = ${name})`);
  const tokens = new Map<string, Person>(Object.values(people).map((person) => [person.token, person]));
  const levelsOf = new Map<number, Readonly<Record<number, number>>>();
  const resolve = async (request: ResolveRequest) => {
    const person = tokens.get(request.token) ?? jobPerson(request.token);
    const project = request.target === undefined ? undefined : await projectNamed(request.target.value);
    const level =
      person === undefined || project === undefined ? 0 : ((levelsOf.get(project.id) ?? levels)[person.id] ?? 0);
    const visible =
      project !== undefined &&
      (level > 0 || project.visibility === 'public' || (project.visibility === 'internal' && person !== undefined));
    return {
      tokenRefusal:
        request.token !== '' && person === undefined
          ? ResolveResponse_TokenRefusal.TOKEN_REFUSAL_UNKNOWN
          : ResolveResponse_TokenRefusal.TOKEN_REFUSAL_UNSPECIFIED,
      sudoRefusal: ResolveResponse_SudoRefusal.SUDO_REFUSAL_UNSPECIFIED,
      actor:
        person === undefined
          ? anonymous
          : {
              ...anonymous,
              userId: person.id,
              username: `user${person.id}`,
              admin: person.admin ?? false,
              scopes: [...(person.scopes ?? ['api'])],
              job: person.job,
            },
      access:
        project !== undefined && visible
          ? {
              kind: Access_Kind.KIND_PROJECT,
              id: project.id,
              fullPath: project.path,
              visibility: project.visibility,
              level,
              tier: 'ultimate',
              archived: project.archived,
            }
          : undefined,
      movedTo: 0,
      directorySequence: 0,
      validUntil: 0,
    };
  };
  const gatewaySigner = readSigner('gateway', join(folder, 'gateway.pem'));
  const peer = connect(`127.0.0.1:${running.grpcPort}`, gatewaySigner);
  const peerAs = (name: string) =>
    connect(`127.0.0.1:${running.grpcPort}`, readSigner(name, join(folder, `${name}.pem`)));
  const [collaboration, groupsAdmin, packages] = [peerAs('collaboration'), peerAs('groups-admin'), peerAs('packages')];
  const imports = peerAs('imports-exports');
  const peers: Peers = {
    client: ((definition: never) =>
      definition === (AccessServiceService as never) ? { resolve } : peer.client(definition)) as Peers['client'],
    reach: () => peer.reach(),
    close: () => peer.close(),
  };
  const gateway: Gateway = await composeGateway(
    {
      HOST: '127.0.0.1',
      PORT: 0,
      HTTP_HOST: '127.0.0.1',
      HTTP_PORT: 0,
      SWITCHYARD_DRAIN_SECONDS: 8,
      SWITCHYARD_TRUSTED_PROXIES: false,
      SWITCHYARD_EXTERNAL_URL: externalUrl,
      SWITCHYARD_TIER: 'ultimate',
      GROUPS_ADMIN_ADDRESS: '',
      MERGE_REQUESTS_ADDRESS: '',
      COLLABORATION_ADDRESS: '',
      MERGE_REQUESTS_HTTP_URL: `http://127.0.0.1:${running.httpPort}`,
      ALERTS_ADDRESS: '',
      ALERTS_HTTP_URL: 'http://127.0.0.1:9',
      PACKAGES_ADDRESS: '',
      IMPORTS_EXPORTS_ADDRESS: '',
      PACKAGES_HTTP_URL: 'http://127.0.0.1:9',
      IMPORTS_EXPORTS_HTTP_URL: 'http://127.0.0.1:9',
      SWITCHYARD_IDENTITY_KEY_FILE: '',
      SWITCHYARD_THROTTLE_AUTHENTICATED: undefined,
      SWITCHYARD_THROTTLE_UNAUTHENTICATED: undefined,
      SWITCHYARD_APPLICATION_LIMITS: 1,
      SWITCHYARD_ACCESS_LOG: false,
      SWITCHYARD_SHOW_COST: true,
      SWITCHYARD_ALERT_PAYLOAD_LIMIT: 1_048_576,
      SWITCHYARD_READS_AT_ONCE: 32,
      SWITCHYARD_WRITES_AT_ONCE: 12,
    },
    gatewaySigner,
    { peers, routes: routesOfMergeRequests },
  );
  const url = `http://127.0.0.1:${gateway.port}`;
  let made = 0;

  const git = async (cwd: string, ...args: string[]): Promise<string> => {
    const { stdout, stderr } = await run('git', args, { cwd, env: gitEnvironment, maxBuffer: 64 << 20 });
    return stdout + stderr;
  };

  return {
    db,
    beside: areasOn({ db }, { folder, further }),
    url,
    data: folder,
    announced,
    async project(wanted = {}) {
      made += 1;
      const project: TestProject = { id: made, path: `group/project${made}`, ...wanted };
      await insertProject(db, project.id, project);
      if (wanted.levels !== undefined) {
        levelsOf.set(project.id, wanted.levels);
        await separate(db, project.id, wanted.levels);
      }
      return project;
    },
    async api(person, method, path, body) {
      const response = await fetch(`${url}/api/v4${path}`, {
        method,
        headers: {
          ...(person === undefined ? {} : { 'private-token': person.token }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const text = await response.text();
      const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false;
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: (isJson && text !== '' ? JSON.parse(text) : undefined) as never,
      };
    },
    asCollaboration: (definition) => collaboration.client(definition),
    asGroupsAdmin: (definition) => groupsAdmin.client(definition),
    asPackages: (definition) => packages.client(definition),
    asImports: (definition) => imports.client(definition),
    command: (person, wanted) =>
      peer
        .client(MergeRequestServiceService)
        .updateMergeRequest(
          UpdateMergeRequestRequest.fromPartial({ ...wanted, strict: true }),
          inNameOf(person, wanted.projectId),
        ),
    track: (person, wanted) =>
      peer.client(MergeRequestServiceService).trackMergeRequestTime(wanted, inNameOf(person, wanted.projectId)),
    git,
    gitFails: async (cwd, ...args) => {
      const outcome = await git(cwd, ...args).then(
        (output) => ({ failed: false, output }),
        (error: { stdout?: string; stderr?: string }) => ({
          failed: true,
          output: `${error.stdout ?? ''}${error.stderr ?? ''}`,
        }),
      );
      if (!outcome.failed) throw new Error(`git ${args.join(' ')} succeeded: ${outcome.output}`);
      return outcome.output;
    },
    remote: (person, path) =>
      person === undefined
        ? `${url}/${path}.git`
        : `${url.replace('http://', `http://git:${person.token}@`)}/${path}.git`,
    folder: () => mkdtempSync(join(folder, 'work-')),
    serviceUrl: `http://127.0.0.1:${running.httpPort}`,
    signed: (method, projectId) => {
      const access = { kind: Access_Kind.KIND_PROJECT, id: projectId, fullPath: '', visibility: 'private', level: 50 };
      const claims = signClaims(gatewaySigner, method, 'test', {
        access: { ...access, tier: 'free', archived: false },
      });
      return { [identityKey]: claims.toString('base64') };
    },
    stopService: () => running.close(500),
    async close() {
      await gateway.close(500);
      await running.close(500);
      collaboration.close();
      groupsAdmin.close();
      packages.close();
      imports.close();
      await db.close();
      await ground?.close();
    },
  };
}
