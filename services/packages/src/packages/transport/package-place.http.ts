import { type AppError, notFound, unauthorized } from '@switchyard/errors';
import { anonymous, type ForwardedCall } from '@switchyard/rpc';
import type { PackagePlace } from '../domain/package-place';
import { searcherOf } from './package-searcher';

/** Where a forwarded request looks for packages, and for whom. */
export function placeOf(call: ForwardedCall): PackagePlace {
  const { projectId, groupId, claims } = call;
  if (projectId > 0) return { projectId };
  const searcher = searcherOf(claims.actor ?? anonymous, claims.access);
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
