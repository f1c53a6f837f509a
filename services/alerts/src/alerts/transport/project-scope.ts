import { notFound } from '@switchyard/errors';
import type { CallContext } from '@switchyard/rpc';
import type { ProjectScope } from '../domain/project-scope';

/** The project of a call; the request must name the project that was resolved and signed. */
export function scopeOf({ access }: CallContext, projectId: number): ProjectScope {
  if (access?.id !== projectId) throw notFound('Project');
  return { projectId, tier: access.tier };
}
