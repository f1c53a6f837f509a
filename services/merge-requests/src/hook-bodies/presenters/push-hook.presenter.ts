import type { DirectoryProjectRow } from '@switchyard/directory';
import type { PushHappening } from '../domain/hook-event';
import type { PushedCommit } from '../domain/hook-facts';
import { commitPart, type HookRendering, isProtected, projectParts, type RenderedHook, userPart } from './hook-parts';

const pushedCommit = (
  { commit, added, modified, removed }: PushedCommit,
  project: DirectoryProjectRow,
  externalUrl: string,
) => ({ ...commitPart(commit, project, externalUrl), added, modified, removed });

/** A push to a branch, or of a tag (G-6-4). */
export function presentPushHook(
  push: PushHappening,
  project: DirectoryProjectRow,
  rendering: HookRendering,
): RenderedHook {
  const { facts, externalUrl } = rendering;
  const kind = push.tag ? 'tag_push' : 'push';
  const commits = facts.commits.get(project.id)?.pushed.get(push.eventId) ?? [];
  const user = userPart(rendering, push.actorId);
  const { project: part, addressed } = projectParts(project, externalUrl);
  // That of an annotated tag is its commit.
  const tip = push.tag ? (commits.at(-1)?.commit.id ?? push.after) : push.after;
  return {
    kind,
    action: push.action,
    ref: push.name,
    objectKey: `ref:${project.id}:${push.ref}`,
    feature: 'repository',
    json: {
      object_kind: kind,
      event_name: kind,
      before: push.before,
      after: push.after,
      ref: push.ref,
      ref_protected: isProtected(rendering, project.id, push.name, push.tag),
      checkout_sha: push.action === 'removed' ? null : tip,
      message: null,
      user_id: push.actorId,
      user_name: user?.name ?? null,
      user_username: user?.username ?? null,
      user_email: facts.users.get(push.actorId)?.public_email ?? '',
      user_avatar: user?.avatar_url ?? null,
      project_id: project.id,
      project: part,
      repository: addressed,
      commits: commits.map((commit) => pushedCommit(commit, project, externalUrl)),
      total_commits_count: push.tag ? commits.length : push.commitCount,
    },
  };
}
