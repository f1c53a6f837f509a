import { avatarUrl } from '@switchyard/directory';

/** A group as other objects refer to it. */
export interface GroupRow {
  readonly id: number;
  readonly kind: string;
  readonly name: string;
  readonly path: string;
  readonly full_path: string;
  /** From the root down to the group itself. */
  readonly ancestry: readonly number[];
  readonly avatar_url: string | null;
}

/** The public reference of a group (G-2-23). */
export const groupReference = (group: GroupRow, externalUrl: string) => ({
  id: group.id,
  name: group.name,
  path: group.path,
  kind: group.kind,
  full_path: group.full_path,
  parent_id: group.ancestry.at(-2) ?? null,
  avatar_url: avatarUrl(group.avatar_url, externalUrl),
  web_url: `${externalUrl.replace(/\/+$/, '')}/groups/${group.full_path}`,
});
