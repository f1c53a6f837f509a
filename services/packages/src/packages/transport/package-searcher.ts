import { type Access, Access_Kind, type Actor } from '@switchyard/protos/rpc/v1/identity';
import { anonymous, viewerOf } from '@switchyard/rpc';
import type { PipelineViewer } from '../application/package.ports';
import type { PackageSearcher } from '../domain/package-place';

/** Who looks for packages in a group or in the instance. */
export function searcherOf(actor: Actor, access: Access | undefined): PackageSearcher {
  // A deploy token reads all that lies below its group, and belongs to no user who could be a member.
  const reachesAll = actor.deployTokenId !== undefined && (access?.level ?? 0) > 0;
  return {
    viewer: reachesAll ? { userId: 0, admin: true, external: true } : viewerOf({ actor }),
    jobProjectId: actor.job?.projectId,
  };
}

/** Who reads the pipelines of packages: beyond its own project the token of a job reads what everybody does (G-5-13). */
export function pipelineViewerOf({
  actor,
  access,
  requestId,
}: PipelineViewer & { readonly access?: Access | undefined }): PipelineViewer {
  const isOwn = access?.kind === Access_Kind.KIND_PROJECT && access.id === actor.job?.projectId;
  return { actor: actor.job === undefined || isOwn ? actor : anonymous, requestId };
}
