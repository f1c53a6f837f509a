import { createHash, generateKeyPairSync } from 'node:crypto';
import type { System } from './system';

/** Where administration is kept: ids, but for the user's also a name. */
export interface Places {
  readonly group: number;
  readonly project: number;
  readonly user: number;
}

/** Variables that an instance may have. */
export const maxInstanceVariables = 25;

/** A new SSH key as OpenSSH writes it. */
export function newSshKey(): string {
  const { x = '' } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  const material = [Buffer.from('ssh-ed25519'), Buffer.from(x, 'base64url')].flatMap((part) => [
    Buffer.from([0, 0, 0, part.length]),
    part,
  ]);
  return `ssh-ed25519 ${Buffer.concat(material).toString('base64')}`;
}

/** Fingerprint of a public key in the form of OpenSSH. */
export const fingerprintOf = (key: string): string =>
  `SHA256:${createHash('sha256')
    .update(Buffer.from(key.split(' ')[1] ?? '', 'base64'))
    .digest('base64')
    .replace(/=+$/, '')}`;

/**
 * Makes keys, tokens, variables, attributes, topics and messages, as many of each as `each` calls; returns the ids of the
 * last ones by their list, and the fingerprint of a key.
 */
export async function makeAdministration(
  system: System,
  { group, project, user }: Places,
  each: (work: (index: number) => Promise<unknown>) => Promise<void>,
): Promise<Record<string, string>> {
  const made: Record<string, string> = {};
  const create = async (path: string, body: Record<string, unknown>, kept = path): Promise<void> => {
    const reply = await system.api('POST', path, { body });
    if (reply.status !== 201) throw new Error(`POST ${path} ${reply.status} ${reply.text}`);
    made[kept] = String(reply.body.id);
  };
  const endsOn = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const [g, p, u] = [`/groups/${group}`, `/projects/${project}`, `/users/${user}`];
  await each(async (index) => {
    const key = newSshKey();
    await create('/user/keys', { title: `key ${index}`, key });
    made.fingerprint = fingerprintOf(key);
    await create(`${u}/keys`, { title: `key ${index}`, key: newSshKey() }, '/users/:user_id/keys');
    await create(`${u}/impersonation_tokens`, { name: `support ${index}`, scopes: ['read_api'] }, 'impersonation');
    await create('/topics', { name: `topic-${index}`, title: `Topic ${index}` });
    await create('/broadcast_messages', { message: `Message ${index}` });
    if (index < maxInstanceVariables) await create('/admin/ci/variables', { key: `KEY_${index}`, value: 'x' });
    for (const place of [g, p]) {
      const kept = place.replace(/\d+/, ':id');
      const token = { name: `robot ${index}`, scopes: ['read_api'], access_level: 20, expires_at: endsOn };
      await create(`${place}/access_tokens`, token, `${kept}/access_tokens`);
      const deploy = { name: `deploy ${index}`, scopes: ['read_repository'] };
      await create(`${place}/deploy_tokens`, deploy, `${kept}/deploy_tokens`);
      await create(`${place}/variables`, { key: `KEY_${index}`, value: 'x' }, `${kept}/variables`);
    }
    await create(`${p}/deploy_keys`, { title: `deploy ${index}`, key: newSshKey() }, '/projects/:id/deploy_keys');
    for (const place of [g, p, u]) {
      const path = `${place}/custom_attributes/key-${index}`;
      const reply = await system.api('PUT', path, { body: { value: `value ${index}` } });
      if (reply.status !== 200) throw new Error(`PUT ${path} ${reply.status} ${reply.text}`);
    }
  });
  return made;
}
