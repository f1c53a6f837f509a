import { isBackupRunning, repeat } from '@switchyard/background';
import type { Database } from '@switchyard/database';
import { projectById } from '@switchyard/directory';
import { notFound } from '@switchyard/errors';
import { configuredOutbound } from '@switchyard/outbound';
import { expressionsInSlices } from '@switchyard/patterns';
import { connect, readSigner, type Sibling } from '@switchyard/rpc';
import { type Area, type Closable, command, type RecordWriter, recordWriter } from '@switchyard/service';
import { gauge } from '@switchyard/telemetry';
import { type Edges, movingVariables } from '../edges';
import { measureGit, type Repository, sweepLeftovers } from '../git';
import { enqueueJobs, type JobHandlers } from '../jobs';
import { archiveRepository } from './application/archive-repository';
import { betweenProjects } from './application/between-projects';
import { refChanges } from './application/change-refs';
import type { CollaboratesOn } from './application/collaboration';
import { commitFiles } from './application/commit-files';
import { formerFollower } from './application/copies';
import { servedElsewhere } from './application/elsewhere';
import { emptyStorage } from './application/empty-storage';
import { findLicense } from './application/find-license';
import { followDefaultBranch } from './application/follow-default-branch';
import { importBundle } from './application/import-bundle';
import { importRepository } from './application/import-repository';
import { manageBranches } from './application/manage-branches';
import { manageProtectedBranches } from './application/manage-protected-branches';
import { manageProtectedTags } from './application/manage-protected-tags';
import { type ManageTags, manageTags, type TagsByName } from './application/manage-tags';
import { moveRepository, removeFormerCopy, removeFormerHere } from './application/move-repository';
import { openProjectRepository } from './application/open-project-repository';
import { packRepository } from './application/pack-repository';
import { pickCommit } from './application/pick-commit';
import { type ImportLimits, keptFromImport } from './application/place-imported-refs';
import { purgeRepositories } from './application/purge-repositories';
import { readCommitsOf } from './application/read-commits';
import { readRepository } from './application/read-repository';
import { readRepositoryFile } from './application/read-repository-file';
import { readSource } from './application/read-source';
import { type CheckPushOptions, type InviteFor, receivePush } from './application/receive-push';
import type { LocalSubscriber, RefChanging } from './application/ref-change';
import type { RefChangeSubscriber, RepositoryAccess } from './application/repository-access';
import { serveFetch } from './application/serve-fetch';
import { type Storages, storagesIn } from './application/storages';
import { sweepCopies } from './application/sweep-copies';
import { verifyVolumes } from './application/verify-volumes';
import { wikisOf } from './application/wikis';
import { writeInPlace } from './application/write-in-place';
import { defaultStorage, fallbackDefaultBranch, type RepositoryKind } from './domain/repository';
import { codeReaders } from './storage/code-readers';
import { licenseTemplates } from './storage/license-templates';
import { protectedBranchStore } from './storage/protected-branch.store';
import { protectedTagStore } from './storage/protected-tag.store';
import { refChangeStore } from './storage/ref-change.store';
import { repositoryStore } from './storage/repository.store';
import { bundlesOf } from './transport/archive-bundle.client';
import { branchHandler } from './transport/branch.handler';
import { commitHandler, type NewestPipeline } from './transport/commit.handler';
import { commitTargetHandler } from './transport/commit-target.handler';
import { defaultBranchOf } from './transport/default-branch.client';
import { forgeRelay } from './transport/forge-relay';
import { forkSubscription } from './transport/fork.subscription';
import { protectedBranchHandler } from './transport/protected-branch.handler';
import {
  protectedBranchRecord,
  protectedTagRecord,
  toProtectedBranch,
  toProtectedTag,
} from './transport/protected-ref.record';
import { protectedTagHandler } from './transport/protected-tag.handler';
import { otherProcesses, type ProcessesOf, processesBy, serviceName } from './transport/relay';
import { repositoryHandler } from './transport/repository.handler';
import { repositoryEndpoints } from './transport/repository.http';
import { changesElsewhere, copiesIn, projectsElsewhere } from './transport/repository-copy.client';
import { repositoryCopyHandler } from './transport/repository-copy.handler';
import { repositoryExportHandler } from './transport/repository-export.handler';
import { repositoryFileHandler } from './transport/repository-file.handler';
import { repositoryImportHandler } from './transport/repository-import.handler';
import { sourceCodeHandler } from './transport/source-code.handler';
import { type ReleaseNotes, tagHandler } from './transport/tag.handler';

/** What repositories need of the areas above them. */
export interface RepositoryPorts {
  /** Notified of every ref change, in this order, after the default branch has been updated. */
  readonly subscribers: readonly RefChangeSubscriber[];
  readonly inviteFor: InviteFor;
  readonly checkOptions: CheckPushOptions;
  readonly newestPipeline: NewestPipeline;
  readonly releaseNotes: ReleaseNotes;
  readonly collaboratesOn: CollaboratesOn;
  /** What of a project keeps imports from moving refs, but for the rules on them. */
  readonly importLimits: Pick<ImportLimits, 'accessOf' | 'branchesUnderWay'>;
}

/** The area, and what others use of it. */
export interface Repositories extends Area, RepositoryAccess {
  /** The bare repository of a project, or its wiki's, made or not. */
  readonly repositoryOf: (projectId: number, kind?: RepositoryKind) => Promise<Repository>;
  /** Finds the processes of projects; undefined where this one answers for all. */
  readonly processesOf: ProcessesOf | undefined;
  readonly tagsByName: TagsByName;
  /** Makes a tag, with the rights of who asks for it. */
  readonly createTag: ManageTags['create'];
  /** Settles what processes left behind, as the area does every few seconds. Safe in several processes at once. */
  readonly reconcile: () => Promise<void>;
  readonly jobHandlers: Pick<JobHandlers, 'copy_repository' | 'remove_former_copy' | 'pack_repository'>;
  /** Takes what archives say of branches and tags. */
  readonly records: Readonly<Record<'protected_branches' | 'protected_tags', RecordWriter>>;
}

/** Milliseconds between two searches for deleted projects. */
const purgeEveryMs = 60_000;

/** Milliseconds between two searches for what killed processes left on disk. */
const sweepEveryMs = 3_600_000;

/** Forks that are copied at once when their source is there again; others wait for the pause of their job to end. */
const resumedForks = 1_000;

type StorageConfig = Pick<
  Edges['config'],
  'SWITCHYARD_DATA' | 'SWITCHYARD_REPOSITORY_STORAGES' | 'SWITCHYARD_STORAGES_SERVED'
>;

/** @throws Error with one line that names the variable at fault */
function storagesOf(config: StorageConfig): Storages {
  const { SWITCHYARD_REPOSITORY_STORAGES: weights, SWITCHYARD_STORAGES_SERVED: served } = config;
  const unknown = [...(served ?? [])].find((name) => !weights.has(name));
  if (unknown !== undefined)
    throw new Error(`SWITCHYARD_STORAGES_SERVED: ${unknown} is not in SWITCHYARD_REPOSITORY_STORAGES`);
  return storagesIn(config.SWITCHYARD_DATA, weights, served);
}

const othersOf = (
  storages: Storages,
  { SWITCHYARD_STORAGE_PEERS: addresses = new Map() }: Pick<Edges['config'], 'SWITCHYARD_STORAGE_PEERS'>,
  sibling: Edges['sibling'],
): ReturnType<typeof otherProcesses> => {
  // All processes may share one list, so one that is divided finds its own storages in it.
  const idle = storages.isDivided ? undefined : [...addresses.keys()][0];
  if (idle !== undefined)
    throw new Error(
      `SWITCHYARD_STORAGE_PEERS: names ${idle}, which this process serves: SWITCHYARD_STORAGES_SERVED is not set`,
    );
  return otherProcesses(
    storages.names.filter((name) => !storages.serves(name)),
    addresses,
    sibling,
  );
};

/** The storages of this process, where others have other ones; undefined where it has all of them. */
export function dividedStorages(config: StorageConfig): readonly string[] | undefined {
  const { isDivided, served } = storagesOf(config);
  return isDivided ? served : undefined;
}

/** Finds the bare repository of a project; it need not exist. */
export function repositoriesOf(db: Database, config: StorageConfig): Repositories['repositoryOf'] {
  const [storages, repositories] = [storagesOf(config), repositoryStore(db)];
  return async (projectId, kind) => {
    const storage = storages.only ?? (await repositories.home(projectId))?.storage ?? defaultStorage;
    return storages.at(storage, projectId, kind);
  };
}

/** The sub-command `move-repository`. */
export const moveRepositories = command({
  usage: '<project> <storage>',
  variables: movingVariables,
  async run({ config, db, write }, [written = '', storage = '', ...more]) {
    if (storage === '' || more.length > 0) throw new Error('needs a project and a storage');
    const [storages, repositories] = [storagesOf(config), repositoryStore(db)];
    const projectId = await repositories.projectAt(written);
    if (projectId === undefined) throw new Error(`there is no project ${written}`);
    const { SWITCHYARD_IDENTITY_KEY_FILE: keyFile } = config;
    const siblings: Sibling[] = [];
    const processes = othersOf(storages, config, (address) => {
      if (keyFile === undefined) throw new Error('SWITCHYARD_IDENTITY_KEY_FILE: is needed to ask the other processes');
      const sibling = connect(address, readSigner(serviceName, keyFile));
      siblings.push(sibling);
      return sibling;
    });
    try {
      const copies = copiesIn(storages, processes);
      await moveRepository({ repositories, storages, copies })(projectId, storage, write);
    } finally {
      for (const sibling of siblings) sibling.close();
    }
  },
});

/** The rules of projects on their branches, for what is built before there are repositories. */
export const protectedBranchesIn = ({
  db,
  prisma,
}: Pick<Edges, 'db' | 'prisma'>): RepositoryAccess['protectedBranches'] => protectedBranchStore(db, prisma);

/** Takes the protected branches and tags of archives. */
function recordsOf(
  db: Edges['db'],
  branches: ReturnType<typeof protectedBranchStore>,
  tags: ReturnType<typeof protectedTagStore>,
): Repositories['records'] {
  async function add<Rule extends { readonly name: string }>(
    projectId: number,
    rules: readonly Rule[],
    bringIn: (projectId: number, rules: readonly Rule[]) => Promise<void>,
  ): Promise<number> {
    if ((await projectById(db, projectId)) === undefined) throw notFound('Project');
    const distinct = [...new Map(rules.map((rule) => [rule.name, rule])).values()];
    await bringIn(projectId, distinct);
    return distinct.length;
  }
  return {
    protected_branches: recordWriter(protectedBranchRecord, ({ projectId }, given) =>
      add(projectId, given.map(toProtectedBranch), branches.bringIn),
    ),
    protected_tags: recordWriter(protectedTagRecord, ({ projectId }, given) =>
      add(projectId, given.map(toProtectedTag), tags.bringIn),
    ),
  };
}

/** Measures the log of ref changes until it is closed. */
function measureBacklog(log: ReturnType<typeof refChangeStore>): Closable {
  const ends = [
    gauge({ name: 'switchyard_ref_changes_open', help: 'Ref changes decided and not yet settled' }, async () => [
      { value: (await log.backlog()).open },
    ]),
    gauge(
      {
        name: 'switchyard_ref_changes_open_age_seconds',
        help: 'Age of the oldest ref change that is not yet settled; 0 without one',
      },
      async () => [{ value: (await log.backlog()).age }],
    ),
  ];
  return {
    async close() {
      for (const end of ends) end();
    },
  };
}

/** Builds repositories, branches, tags, commits, files, pushing and fetching. */
export function composeRepositories(given: Edges, ports: RepositoryPorts): Repositories {
  const { config, db, observe } = given;
  const externalUrl = config.SWITCHYARD_EXTERNAL_URL;
  const recoverySeconds = config.SWITCHYARD_RECOVERY_SECONDS;
  const storages = storagesOf(config);
  const repositoryOf = repositoriesOf(db, config);
  const repositories = repositoryStore(db);
  const processes = othersOf(storages, config, given.sibling);
  const copies = copiesIn(storages, processes);
  const followFormer = formerFollower(copies, storages);
  const inPlace = writeInPlace({ repositories, storages, followFormer });
  const protectedBranches = protectedBranchStore(db, given.prisma);
  const protectedTags = protectedTagStore(db, given.prisma);
  const kept = keptFromImport({ protectedBranches, protectedTags, ...ports.importLimits });
  const divided = dividedStorages(config);
  const processesOf = divided && processesBy(servedElsewhere({ repositories, storages }), processes);
  const elsewhere = processesOf && changesElsewhere(processesOf);
  const elsewhereOf = processesOf && projectsElsewhere(processesOf);
  const accessBy = ({ changeRefs, beginRefChange }: RefChanging): RepositoryAccess => {
    const open = openProjectRepository({ repositories, storages, changeRefs, elsewhere: elsewhereOf });
    return {
      ...betweenProjects({ open, projects: repositories, elsewhere: elsewhereOf }),
      openRepository: open,
      isHere: async (projectId) => !((await processesOf?.([projectId]))?.has(projectId) ?? false),
      changeRefs,
      beginRefChange,
      writeInPlace: inPlace,
      protectedBranches,
      protectedTags,
      keptFromImport: kept,
      codeReaders: codeReaders(db),
      collaboratesOn: ports.collaboratesOn,
      committers: repositories,
    };
  };
  const log = refChangeStore(db, recoverySeconds, divided);
  const changes = refChanges({
    log,
    projects: repositories,
    storages,
    followFormer,
    settleElsewhere: elsewhere?.settle,
    externalUrl: given.config.SWITCHYARD_EXTERNAL_URL,
    subscribers: [
      followDefaultBranch({
        repositories,
        writeInPlace: inPlace,
        announce: defaultBranchOf(given.peer('groups-admin')),
      }),
      ...ports.subscribers.map(
        (subscriber): LocalSubscriber => ({
          afterRefChange: (change, refs, say) => subscriber.afterRefChange(change, accessBy(refs), say),
        }),
      ),
    ],
  });
  const access = accessBy(changes);
  const { changeRefs, openRepository: open, collaboratesOn } = access;
  const wikis = wikisOf({ open, repositories, storages, followFormer, changeElsewhere: elsewhere?.changeWiki });

  const outbound = configuredOutbound(config);
  const backupRuns = () => isBackupRunning(config.SWITCHYARD_DATA);
  const imports = observe('merge_requests.imports', {
    importRepository: importRepository({
      ...{ open, changeRefs, keptFromImport: kept, wikis },
      fromForge: forgeRelay(outbound),
    }),
    importBundle: importBundle({ open, changeRefs, wikis, readBundle: bundlesOf(given.peer('imports-exports')) }),
  });
  const branches = observe(
    'merge_requests.branches',
    manageBranches({ open, changeRefs, protectedBranches, repositories, matching: expressionsInSlices() }),
  );
  const rules = observe('merge_requests.protected_branches', manageProtectedBranches(protectedBranches));
  const tagRules = observe('merge_requests.protected_tags', manageProtectedTags(protectedTags));
  const tags = observe('merge_requests.tags', manageTags({ open, changeRefs, protectedTags, repositories }));
  const commits = observe('merge_requests.commits', readCommitsOf({ open }));
  const writing = observe('merge_requests', {
    commitFiles: commitFiles({ open, changeRefs, protectedBranches, repositories, collaboratesOn }),
    archiveRepository: archiveRepository({ open }),
    pickCommit: pickCommit({ open, changeRefs, protectedBranches, repositories, collaboratesOn }),
  });
  const reading = observe('merge_requests.repository', {
    ...readRepository({ open }),
    findLicense: findLicense({ open, templates: licenseTemplates() }),
  });
  const files = observe('merge_requests.files', readRepositoryFile({ open }));
  const pushes = observe(
    'merge_requests.pushes',
    receivePush({
      open,
      changes,
      protectedBranches,
      protectedTags,
      collaboratesOn,
      inviteFor: ports.inviteFor,
      checkOptions: ports.checkOptions,
      wikis,
    }),
  );
  const packing = observe('merge_requests.repositories', {
    packRepository: packRepository({ repositoryOf, isBackupRunning: backupRuns }),
  });
  const fetches = observe('merge_requests.fetches', serveFetch({ open, wikis }));
  return {
    ...access,
    repositoryOf,
    processesOf,
    tagsByName: tags.byName,
    createTag: tags.create,
    reconcile: changes.reconcile,
    records: recordsOf(db, protectedBranches, protectedTags),
    jobHandlers: {
      copy_repository: async ({ projectId }) => {
        // To ask for anything of it makes it. Its job is one of its source's process until it has a row, and its own may be another.
        await access.readHead(projectId, fallbackDefaultBranch);
      },
      remove_former_copy: removeFormerCopy({ repositories, storages, copies, isBackupRunning: backupRuns }),
      pack_repository: packing.packRepository,
    },
    consumers: [
      {
        group: 'merge-requests.forks',
        subscriptions: [
          forkSubscription(given.directory, {
            copy: (tx, projectId) => enqueueJobs(tx, [{ kind: 'copy_repository', projectId }]),
            async goOn(tx, projectId) {
              const forks = await repositories.waitingForks(tx, projectId, resumedForks);
              await enqueueJobs(tx, [
                { kind: 'follow_sources', projectId, after: 0 },
                ...forks.map((id) => ({ kind: 'copy_repository', projectId: id }) as const),
              ]);
            },
          }),
        ],
      },
    ],
    services: [
      branchHandler(branches, externalUrl),
      protectedBranchHandler(rules),
      protectedTagHandler(tagRules),
      tagHandler(tags, ports.releaseNotes, externalUrl),
      commitHandler({
        commits,
        commitFiles: writing.commitFiles,
        pickCommit: writing.pickCommit,
        newestPipeline: ports.newestPipeline,
        externalUrl,
      }),
      commitTargetHandler({ commits, readers: access.codeReaders, externalUrl, processesOf }),
      repositoryFileHandler(writing.commitFiles),
      repositoryHandler(reading, open, externalUrl),
      sourceCodeHandler(readSource({ open })),
      repositoryImportHandler(imports.importRepository, imports.importBundle),
      repositoryExportHandler(open, wikis),
      repositoryCopyHandler({
        storages,
        removeFormer: removeFormerHere({ repositories, storages, isBackupRunning: backupRuns }),
        settleBegun: changes.settleBegun,
        changeWiki: wikis.changeBegun,
        open,
        between: access,
      }),
    ],
    http: repositoryEndpoints({ fetches, receivePush: pushes, files, archives: writing.archiveRepository }),
    close: () => outbound.close(),
    start: async () => {
      const other = await repositories.otherStorage(storages.names);
      if (other !== undefined) throw new Error(`SWITCHYARD_REPOSITORY_STORAGES: repositories lie in ${other}, too`);
      const empty = await emptyStorage({ repositories, storages });
      const variable = divided ? 'SWITCHYARD_STORAGES_SERVED' : 'SWITCHYARD_DATA';
      if (empty !== undefined) throw new Error(`${variable}: the volume has no repository of the storage ${empty}`);
      await verifyVolumes({ volumes: { note: repositories.noteVolume }, storages });
      return [
        repeat('ref changes', recoverySeconds * 1_000, changes.reconcile),
        repeat(
          'deleted repositories',
          purgeEveryMs,
          purgeRepositories({
            repositories,
            storages,
            isBackupRunning: backupRuns,
          }),
        ),
        repeat('leftovers of killed processes', sweepEveryMs, async () => {
          await sweepCopies({ repositories, storages, copies, isBackupRunning: backupRuns })();
          for (const storage of storages.served) await sweepLeftovers(storages.folderOf(storage));
        }),
        measureBacklog(log),
        measureGit(),
      ];
    },
  };
}
