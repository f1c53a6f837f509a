import type { CallContext } from '@switchyard/rpc';

/** The actor of a call as rules and lists see one. */
export const viewerOf = ({ actor }: CallContext): { userId: number; admin: boolean; external: boolean } => ({
  userId: actor.userId,
  admin: actor.admin,
  external: actor.external,
});

/** undefined for what the wire sends as empty. */
export const given = <T extends string | number>(value: T): T | undefined =>
  value === '' || value === 0 ? undefined : value;

/** undefined for an empty list. */
export const some = <T>(values: T[]): T[] | undefined => (values.length === 0 ? undefined : values);
