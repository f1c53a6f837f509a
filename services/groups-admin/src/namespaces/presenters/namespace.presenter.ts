import { avatarUrl } from '@switchyard/directory';
import type { NamespaceRow } from '../domain/namespace-row';

/** A namespace (G §10 Namespaces). `plan` is the licence tier that applies. */
export const presentNamespace = (
  namespace: NamespaceRow,
  { externalUrl, tier }: { externalUrl: string; tier: string },
) => ({
  id: namespace.id,
  name: namespace.name,
  path: namespace.path,
  kind: namespace.kind,
  full_path: namespace.full_path,
  parent_id: namespace.parent_id,
  avatar_url: avatarUrl(namespace.avatar_url, externalUrl),
  web_url: `${externalUrl}/${namespace.kind === 'group' ? 'groups/' : ''}${namespace.full_path}`,
  plan: namespace.tier ?? tier,
  ...(namespace.members === null ? {} : { members_count_with_descendants: namespace.members }),
});
