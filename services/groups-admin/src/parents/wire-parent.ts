import { notFound } from '@switchyard/errors';
import type { Parent } from './parent';

/**
 * The project or group a request names.
 * @throws AppError not_found unless it names exactly one
 */
export function parentOf(wire: { groupId: number; projectId: number } | undefined): Parent {
  if (wire === undefined || (wire.groupId === 0) === (wire.projectId === 0)) throw notFound();
  return wire.groupId > 0 ? { kind: 'group', id: wire.groupId } : { kind: 'project', id: wire.projectId };
}
