import { notFound } from '@switchyard/errors';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import type { CallContext } from '@switchyard/rpc';

/** The project that a request names, which must be what was resolved and signed. @throws AppError not_found */
export function namedProject({ projectId }: { readonly projectId: number }, { access }: CallContext): number {
  if (access?.id !== projectId || access.kind !== Access_Kind.KIND_PROJECT) throw notFound('Project');
  return projectId;
}
