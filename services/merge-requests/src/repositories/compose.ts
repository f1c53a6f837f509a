import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import type { Database } from '@switchyard/database';
import { expressionsInSlices } from '@switchyard/patterns';
import { repeat, type ServiceImplementation, type TrustedKeys } from '@switchyard/rpc';
import { gauge, observe } from '@switchyard/telemetry';
import { recoverySeconds as defaultRecoverySeconds } from '../domain/recovery';
import { openRepository, type Repository } from '../git';
import { inviteMergeRequests } from '../merge-requests/application/invite-merge-requests';
import { mergeRequestLinksStore } from '../merge-requests/storage/merge-request-links.store';
import { mergeRequestPeopleStore } from '../merge-requests/storage/merge-request-people.store';
import { commitPipelineStore } from '../pipelines/storage/commit-pipeline.store';
import { refChanges } from './application/change-refs';
import { commitFiles } from './application/commit-files';
import { manageBranches } from './application/manage-branches';
import { manageProtectedBranches } from './application/manage-protected-branches';
import { manageTags } from './application/manage-tags';
import {
  type AnnounceDefaultBranch,
  followDefaultBranch,
  type OpenProjectRepository,
  openProjectRepository,
} from './application/open-project-repository';
import { purgeRepositories } from './application/purge-repositories';
import { readCommitsOf } from './application/read-commits';
import { readRepository } from './application/read-repository';
import { readRepositoryFile } from './application/read-repository-file';
import { receivePush } from './application/receive-push';
import type { ChangeRefs, RefChangeSubscriber } from './application/ref-change';
import { serveFetch } from './application/serve-fetch';
import type { ProtectedBranch } from './domain/protected-branch';
import { codeReaders } from './storage/code-readers';
import { protectedBranchStore } from './storage/protected-branch.store';
import { refChangeStore } from './storage/ref-change.store';
import { repositoryStore } from './storage/repository.store';
import { branchHandler } from './transport/branch.handler';
import { commitHandler } from './transport/commit.handler';
import { commitTargetHandler } from './transport/commit-target.handler';
import { protectedBranchHandler } from './transport/protected-branch.handler';
import { repositoryHandler } from './transport/repository.handler';
import { repositoryHttp } from './transport/repository.http';
import { repositoryFileHandler } from './transport/repository-file.handler';
import { tagHandler } from './transport/tag.handler';

/** What the repository side of the service is built from. */
export interface RepositoryPartEdges {
  readonly db: Database;
  /** Data folder; repositories lie in `repositories` below it. */
  readonly dataFolder: string;
  /** Externally visible base URL, without a slash at its end. */
  readonly externalUrl: string;
  readonly trusted: TrustedKeys;
  readonly ensureDirectory: (sequence: number) => Promise<void>;
  /** Told of every ref change, after the default branch has been looked after. May be added to until the service starts. */
  readonly subscribers: readonly RefChangeSubscriber[];
  /** Tells groups-admin which branch has become the default. */
  readonly announceDefaultBranch?: AnnounceDefaultBranch;
  /** Seconds between two runs of the reconciler (D7), and what a process has for telling of a change before another one does; default 5. */
  readonly recoverySeconds?: number;
}

/** The repository side of the service, and what merge requests use of it. */
export interface RepositoryPart {
  readonly services: readonly ServiceImplementation[];
  readonly http: RequestListener;
  /** The one way by which refs move. */
  readonly changeRefs: ChangeRefs;
  readonly openProjectRepository: OpenProjectRepository;
  /** The bare repository of a project, made or not. */
  readonly repositoryOf: (projectId: number) => Repository;
  /** The rules of a project on its branches; see domain/protected-branch.ts. */
  readonly protectedBranchesOf: (projectId: number) => Promise<ProtectedBranch[]>;
  /** Settles what is open once; for tests. */
  readonly reconcile: () => Promise<void>;
  /** Removes the repositories of deleted projects and the assignments of deleted users once; for tests. */
  readonly purge: () => Promise<void>;
  /** Starts the reconciler and the purge; what it returns stops them. */
  readonly startReconciler: () => () => Promise<void>;
}

/** Milliseconds between two looks for deleted projects and users. */
const purgeEveryMs = 60_000;

/** Builds repositories, branches, tags, commits, files and pushing. */
export function composeRepository(edges: RepositoryPartEdges): RepositoryPart {
  const { db, externalUrl, subscribers, recoverySeconds = defaultRecoverySeconds } = edges;
  const root = join(edges.dataFolder, 'repositories');
  const repositoryOf = (projectId: number) => openRepository(root, projectId);
  const repositories = repositoryStore(db);
  const protectedBranches = protectedBranchStore(db);
  const pipelines = commitPipelineStore(db);
  const defaultBranch = followDefaultBranch({ repositories, repositoryOf, announce: edges.announceDefaultBranch });
  const log = refChangeStore(db, recoverySeconds);
  const changes = refChanges({
    log,
    projects: repositories,
    repositoryOf,
    subscribers: {
      // Read at every change: the subscribers themselves may need `changeRefs` to be built.
      *[Symbol.iterator]() {
        yield defaultBranch;
        yield* subscribers;
      },
    },
  });
  const { changeRefs } = changes;
  const purge = purgeRepositories({ repositories, repositoryOf, people: mergeRequestPeopleStore(db) });
  const open = openProjectRepository({ repositories, repositoryOf, changeRefs });
  const matching = expressionsInSlices();
  const branches = observe(
    'merge_requests.branches',
    manageBranches({ open, changeRefs, protectedBranches, repositories, matching }),
  );
  const rules = observe('merge_requests.protected_branches', manageProtectedBranches(protectedBranches));
  const tags = observe('merge_requests.tags', manageTags({ open, changeRefs, repositories }));
  const commits = observe('merge_requests.commits', readCommitsOf({ open }));
  const writing = observe('merge_requests', {
    commitFiles: commitFiles({ open, changeRefs, protectedBranches, repositories }),
  });
  const reading = observe('merge_requests.repository', readRepository({ open }));
  const files = observe('merge_requests.files', readRepositoryFile({ open }));
  const inviteFor = inviteMergeRequests({ open, links: mergeRequestLinksStore(db), externalUrl });
  const pushes = observe('merge_requests.pushes', receivePush({ open, changes, protectedBranches, inviteFor }));
  const fetches = observe('merge_requests.fetches', serveFetch({ open }));
  return {
    services: [
      branchHandler(branches, externalUrl),
      protectedBranchHandler(rules),
      tagHandler(tags, externalUrl),
      commitHandler({ commits, commitFiles: writing.commitFiles, newestPipeline: pipelines.newest, externalUrl }),
      commitTargetHandler({ commits, readers: codeReaders(db), externalUrl }),
      repositoryFileHandler(writing.commitFiles),
      repositoryHandler(reading, open, externalUrl),
    ],
    http: repositoryHttp({
      trusted: edges.trusted,
      ensureDirectory: edges.ensureDirectory,
      fetches,
      receivePush: pushes,
      files,
    }),
    changeRefs,
    openProjectRepository: open,
    repositoryOf,
    protectedBranchesOf: protectedBranches.all,
    reconcile: changes.reconcile,
    purge,
    startReconciler: () => {
      const repeating = [
        repeat('ref changes', recoverySeconds * 1_000, changes.reconcile),
        repeat('deleted repositories and assignments of deleted users', purgeEveryMs, purge),
      ];
      const unmeasure = [
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
      return async () => {
        for (const end of unmeasure) end();
        await Promise.all(repeating.map((work) => work.close()));
      };
    },
  };
}
