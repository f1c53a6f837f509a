import { type AppError, notFound, unauthorized } from '@switchyard/errors';
import { anonymous, type ForwardedCall, viewerOf } from '@switchyard/rpc';
import type { PackagePlace, PackageSearcher } from '../domain/package-place';

/** Who looks for packages by a forwarded request, in a group or in the instance. */
function searcherOf({ claims: { actor = anonymous, access } }: ForwardedCall): PackageSearcher {
  // A deploy token reads all that lies below its group, and belongs to no user who could be a member.
  const reachesAll = actor.deployTokenId !== undefined && (access?.level ?? 0) > 0;
  return {
    viewer: reachesAll ? { userId: 0, admin: true, external: true } : viewerOf({ actor }),
    jobProjectId: actor.job?.projectId,
  };
}

/** Where a forwarded request looks for packages, and for whom. */
export function placeOf(call: ForwardedCall): PackagePlace {
  const { projectId, groupId } = call;
  if (projectId > 0) return { projectId };
  const searcher = searcherOf(call);
  return groupId > 0 ? { groupId, searcher } : { searcher };
}

/**
 * The refusal where nothing is found. In a group or in the instance there may be more for those who show a token, which
 * package managers do only when they are asked (G-4.17-12).
 */
export function nothingFound({ claims: { actor = anonymous }, projectId, response }: ForwardedCall): AppError {
  if (projectId > 0 || actor.userId > 0 || actor.deployTokenId !== undefined) return notFound();
  response.setHeader('WWW-Authenticate', 'Basic realm="Switchyard"');
  return unauthorized();
}
