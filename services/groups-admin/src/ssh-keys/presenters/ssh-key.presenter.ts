import { presentFullUser, type UserRow } from '../../users';
import type { DeployKeyProjectRow, SshKeyRow } from '../domain/ssh-key-row';

const publicForm = ({ key, user_name: name }: SshKeyRow, externalUrl: string): string =>
  name === null ? key : `${key} ${name} (${new URL(externalUrl).hostname})`;

/** An SSH key of a user (G-2-30). The comment that was sent may name a machine, so the owner's name stands there. */
export const presentSshKey = (key: SshKeyRow, externalUrl: string) => ({
  id: key.id,
  title: key.title,
  created_at: key.created_at,
  expires_at: key.expires_at,
  last_used_at: key.last_used_at,
  key: publicForm(key, externalUrl),
  usage_type: key.usage_type,
});

const presentOwner = (user: UserRow, externalUrl: string) =>
  presentFullUser(user, externalUrl, { forAdministrator: false });

/**
 * The result of a look-up (api.md 2, SSH key lookup result; G-4.10-3).
 * @param user whose key it is, or who added the deploy key; undefined when the user is gone
 * @param projects of a deploy key
 */
export const presentFoundKey = (
  key: SshKeyRow,
  user: UserRow | undefined,
  projects: readonly DeployKeyProjectRow[] | undefined,
  externalUrl: string,
) => {
  const { expires_at, ...shown } = presentSshKey(key, externalUrl);
  return {
    ...shown,
    ...(projects === undefined
      ? { expires_at }
      : { fingerprint: key.fingerprint_md5, fingerprint_sha256: `SHA256:${key.fingerprint_sha256}` }),
    user: user === undefined ? null : presentOwner(user, externalUrl),
    ...(projects === undefined ? {} : { deploy_keys_projects: projects }),
  };
};
