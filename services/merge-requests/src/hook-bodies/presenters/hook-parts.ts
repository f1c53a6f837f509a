import {
  type DirectoryProjectRow,
  fullPath,
  hookProject,
  hookRepository,
  hookUser,
  type UserRow,
} from '@switchyard/directory';
import { wildcard } from '@switchyard/patterns';
import type { Commit } from '../../git';
import { repositoryUrl } from '../../repositories';
import type { HookFacts } from '../domain/hook-facts';

/** What bodies are rendered from. */
export interface HookRendering {
  readonly facts: HookFacts;
  readonly externalUrl: string;
  readonly now: Date;
}

/** A finished body, and what groups-admin has to know of it. */
export interface RenderedHook {
  readonly kind: 'push' | 'tag_push' | 'merge_request' | 'pipeline' | 'job' | 'deployment' | 'release';
  readonly action: string;
  /** Branch or tag; empty for none. */
  readonly ref: string;
  readonly objectKey: string;
  readonly feature: 'repository' | 'merge_requests';
  readonly json: object;
}

/** A user; null for none. */
export const userPart = ({ facts, externalUrl }: HookRendering, id: number) => {
  const user = facts.users.get(id);
  return user === undefined ? null : hookUser(user, externalUrl);
};

/** Users in the order of their ids. */
export const userParts = (rendering: HookRendering, ids: readonly number[]) =>
  ids.flatMap((id) => userPart(rendering, id) ?? []);

/** A project, the short form `repository` of it, and that with its addresses, as pushes and jobs show it. */
export function projectParts(project: DirectoryProjectRow, externalUrl: string) {
  const part = hookProject(project, externalUrl);
  const repository = hookRepository(project, externalUrl);
  const { git_http_url, git_ssh_url, visibility_level } = part;
  return { project: part, repository, addressed: { ...repository, git_http_url, git_ssh_url, visibility_level } };
}

/** A commit as hook bodies show it. */
export const commitPart = (commit: Commit, project: DirectoryProjectRow, externalUrl: string) => ({
  id: commit.id,
  message: commit.message,
  title: commit.title,
  timestamp: commit.committedAtText,
  url: commitUrl(commit.id, project, externalUrl),
  author: { name: commit.authorName, email: commit.authorEmail },
});

/** Address of a page of a project: `commit/<sha>`, `jobs/<id>`. */
export const pageUrl = (project: DirectoryProjectRow, externalUrl: string, page: string): string =>
  repositoryUrl({ externalUrl, fullPath: fullPath(project) }, page);

/** Address of a commit. */
export const commitUrl = (sha: string, project: DirectoryProjectRow, externalUrl: string): string =>
  pageUrl(project, externalUrl, `commit/${sha}`);

/** Address of a user. */
export const userUrl = (user: UserRow, externalUrl: string): string => `${externalUrl}/${user.username}`;

/** A time as GitLab writes it in the bodies of pipelines and jobs: `2016-08-12 15:23:28 UTC`; null for none. */
export const hookTime = (date: Date | undefined): string | null =>
  date === undefined ? null : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** Seconds between two times; null where one is missing. */
export const secondsBetween = (from: Date | undefined, to: Date | undefined): number | null =>
  from === undefined || to === undefined ? null : Math.max(0, to.getTime() - from.getTime()) / 1_000;

/** Whether a rule protects a branch or tag of a project. */
export const isProtected = ({ facts }: HookRendering, projectId: number, name: string, isTag: boolean): boolean => {
  const rules = facts.protectedNames.get(projectId);
  return ((isTag ? rules?.tags : rules?.branches) ?? []).some((rule) => wildcard(rule)(name));
};

/** What stands for no commit. */
export const noSha = '0'.repeat(40);
