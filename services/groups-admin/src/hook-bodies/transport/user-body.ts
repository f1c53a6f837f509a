import { hookUser } from '@switchyard/directory';
import type { SshKeyEvent } from '@switchyard/protos/groups_admin/events/v1/ssh_key_event';
import type { UserEvent } from '@switchyard/protos/groups_admin/events/v1/user_event';
import type { HookDraft } from '../domain/hook-draft';
import type { HookFacts } from '../domain/hook-facts';

/** Bodies of a change of a user, for the hooks of the instance. */
export function userBodies({ userId, fact, occurredAt }: UserEvent, facts: HookFacts): HookDraft[] {
  const draft = (action: string, body: Readonly<Record<string, unknown>>): HookDraft[] => [
    { kind: 'user', action, objectKey: `user:${userId}`, body: { event_name: `user_${action}`, ...body } },
  ];
  if (fact?.$case === 'deleted') {
    const { username, name } = fact.value;
    // What the user had of addresses went with them.
    const body = {
      created_at: occurredAt,
      updated_at: occurredAt,
      name,
      email: '[REDACTED]',
      user_id: userId,
      username,
    };
    return username === '' ? [] : draft('destroy', body);
  }
  const user = facts.users.get(userId);
  if (user === undefined || (fact?.$case !== 'created' && fact?.$case !== 'renamed')) return [];
  const body = {
    created_at: user.created_at,
    updated_at: user.updated_at,
    name: user.name,
    email: hookUser(user, '').email,
    user_id: userId,
    username: user.username,
  };
  if (fact.$case === 'created') return draft('create', body);
  return draft('rename', { ...body, old_username: fact.value.oldUsername });
}

/** Bodies of a change of an SSH key, for the hooks of the instance. */
export function keyBodies({ keyId, userId, key, fact, occurredAt }: SshKeyEvent, facts: HookFacts): HookDraft[] {
  const user = facts.users.get(userId);
  if (fact === undefined || user === undefined) return [];
  const action = fact.$case === 'added' ? 'create' : 'destroy';
  const body = {
    event_name: `key_${action}`,
    created_at: occurredAt,
    updated_at: occurredAt,
    username: user.username,
    key,
    id: keyId,
  };
  return [{ kind: 'key', action, objectKey: `key:${keyId}`, body }];
}
