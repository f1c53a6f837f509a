import { IssueImportServiceService } from '@switchyard/protos/collaboration/v1/issue_import';
import { ImportNotesRequest, NoteImportServiceService } from '@switchyard/protos/collaboration/v1/note_import';
import { LabelServiceService } from '@switchyard/protos/groups_admin/v1/label';
import { MilestoneServiceService } from '@switchyard/protos/groups_admin/v1/milestone';
import {
  ImportMergeRequestsRequest,
  MergeRequestImportServiceService,
} from '@switchyard/protos/merge_requests/v1/merge_request_import';
import { ReleaseImportServiceService } from '@switchyard/protos/merge_requests/v1/release_import';
import { RepositoryImportServiceService } from '@switchyard/protos/merge_requests/v1/repository_import';
import { UploadImportServiceService } from '@switchyard/protos/packages/v1/upload_import';
import type { Peer } from '@switchyard/rpc';
import { importMembersBy } from '../../placeholders';
import type { ImportTargets } from '../application/imports.ports';
import { newProjectOf } from '../domain/new-project';
import { importedProjectsOf } from './imported-projects.client';

/** Milliseconds for a repository: two thirds of an hour for what git does, which has half of this to its first write. */
const repositoryMs = 7_200_000;

/** Milliseconds for a page of issues, each in a transaction of its own. */
const pageMs = 60_000;

/** Milliseconds for a page of pull requests, of each of which git says what it changes. */
const pullsMs = 180_000;

/** Milliseconds for a file: five minutes for what the forge sends, and a minute to keep it. */
const fileMs = 360_000;

/** Asks the services that own what comes over. */
export function importTargetsOf(
  peer: (name: 'groups-admin' | 'merge-requests' | 'collaboration' | 'packages') => Peer,
): ImportTargets {
  const [groupsAdmin, ofCode, collaboration] = [peer('groups-admin'), peer('merge-requests'), peer('collaboration')];
  const projects = importedProjectsOf(groupsAdmin);
  const labels = groupsAdmin.client(LabelServiceService);
  const milestones = groupsAdmin.client(MilestoneServiceService);
  const issues = collaboration.client(IssueImportServiceService);
  const notes = collaboration.client(NoteImportServiceService);
  const repositories = ofCode.client(RepositoryImportServiceService);
  const mergeRequests = ofCode.client(MergeRequestImportServiceService);
  const releases = ofCode.client(ReleaseImportServiceService);
  const uploads = peer('packages').client(UploadImportServiceService);
  const options = (requestId: string) => ({ requestId, idempotent: true });
  return {
    createProject({ author, repository, ...one }, requestId) {
      const request = {
        key: one.key,
        namespace: one.namespace,
        name: one.name,
        path: '',
        ...newProjectOf(repository),
        private: repository.isPrivate,
        importType: one.forge,
        importSource: repository.fullName,
      };
      return projects.create(request, author, requestId);
    },
    project: projects.project,
    setStatus: projects.setStatus,
    async importRepository({ project, author }, source, { requestId, signal }) {
      const { projectId, directorySequence } = project;
      const { kept, impossible } = await repositories.importRepository(
        { projectId, actorId: author.userId, ...source },
        { requestId, directorySequence, signal, timeoutMs: repositoryMs },
      );
      return { kept, impossible };
    },
    async importWiki({ projectId, directorySequence }, source, { requestId, signal }) {
      const call = { requestId, directorySequence, signal, timeoutMs: repositoryMs };
      await repositories.importWiki({ projectId, ...source }, call);
    },
    async reserveNumbers({ projectId, directorySequence }, highest, { requestId, signal }) {
      const call = { ...options(requestId), directorySequence, signal };
      await issues.reserveIssueNumbers({ projectId, highest: highest.issues }, call);
      await mergeRequests.reserveMergeRequestNumbers({ projectId, highest: highest.pulls }, call);
    },
    async importFile({ projectId }, file, { requestId, signal }) {
      const reply = await uploads.importUpload(
        { projectId, ...file },
        { ...options(requestId), signal, timeoutMs: fileMs },
      );
      const { link, markdown, reason, mayPass, retryAfter } = reply;
      return link === '' ? { reason, mayPass, retryAfter } : { link, markdown };
    },
    importMembers: importMembersBy(groupsAdmin),
    async importLabels(projectId, given, requestId) {
      return (await labels.importLabels({ projectId, labels: [...given] }, options(requestId))).imported;
    },
    async importIssues({ projectId, importType: importedFrom, directorySequence }, { items, knownBefore }, requestId) {
      const request = {
        projectId,
        importedFrom,
        knownBefore,
        issues: items.map((one) => ({ ...one, labels: [...one.labels], assigneeIds: [...one.assigneeIds] })),
      };
      return (await issues.importIssues(request, { ...options(requestId), directorySequence, timeoutMs: pageMs }))
        .imported;
    },
    async importNotes({ projectId, importType: importedFrom, directorySequence }, { items, knownBefore }, requestId) {
      const request = ImportNotesRequest.fromPartial({
        projectId,
        importedFrom,
        knownBefore,
        notes: items.map(({ on, iid, place, action, ...note }) => ({
          ...note,
          noteableType: on === 'issue' ? 'Issue' : 'MergeRequest',
          noteableIid: iid,
          thread: place === undefined ? '' : String(place.threadId),
          ...(place === undefined ? {} : { place: { ...place, iid } }),
          ...(action === undefined ? {} : { system: true, action }),
        })),
      });
      return (await notes.importNotes(request, { ...options(requestId), directorySequence, timeoutMs: pageMs }))
        .imported;
    },
    async importPulls({ project, author }, { items, knownBefore }, requestId) {
      const { projectId, importType: importedFrom, directorySequence } = project;
      const request = ImportMergeRequestsRequest.fromPartial({
        projectId,
        importedFrom,
        actorId: author.userId,
        knownBefore,
        mergeRequests: items.map(({ headSha, baseSha, reviewerIds, locked, closedAt, ...pull }) => ({
          ...pull,
          labels: [...pull.labels],
          assigneeIds: [...pull.assigneeIds],
          diffs: [{ startSha: baseSha, headSha }],
          reviewers: reviewerIds.map((userId) => ({ userId, state: 'unreviewed' })),
          discussionLocked: locked,
          closedAt: pull.state === 'closed' ? closedAt : undefined,
        })),
      });
      const reply = await mergeRequests.importMergeRequests(request, {
        ...options(requestId),
        directorySequence,
        timeoutMs: pullsMs,
      });
      return reply.imported;
    },
    async nextPull({ projectId, importType: importedFrom }, fromIid, requestId) {
      const { iid } = await mergeRequests.nextImportedMergeRequest(
        { projectId, importedFrom, fromIid },
        options(requestId),
      );
      return iid === 0 ? undefined : iid;
    },
    async importReviews({ projectId, importType: importedFrom, directorySequence }, iid, given, requestId) {
      const reviews = given.map(({ userId, state, submittedAt: createdAt }) => ({
        mergeRequestIid: iid,
        review: { userId, state, createdAt },
      }));
      await mergeRequests.importMergeRequestReviews(
        { projectId, importedFrom, reviews },
        { ...options(requestId), directorySequence, timeoutMs: pageMs },
      );
    },
    async importEvents({ projectId, importType: importedFrom, directorySequence }, on, given, requestId) {
      const request = { projectId, importedFrom, events: [...given] };
      const call = { ...options(requestId), directorySequence, timeoutMs: pageMs };
      const reply =
        on === 'issue'
          ? await issues.importIssueEvents(request, call)
          : await mergeRequests.importMergeRequestEvents(request, call);
      return reply.imported;
    },
    async importReleases({ projectId, directorySequence }, given, requestId) {
      const request = { projectId, releases: [...given] };
      return (await releases.importReleases(request, { ...options(requestId), directorySequence, timeoutMs: pageMs }))
        .imported;
    },
    async importMilestones(projectId, given, requestId) {
      return (await milestones.importMilestones({ projectId, milestones: [...given] }, options(requestId))).imported;
    },
  };
}
