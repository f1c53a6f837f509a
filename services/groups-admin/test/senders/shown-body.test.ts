import { integrationTarget } from '../../src/integrations/application/prepare-delivery';
import { changes } from './changes';

test('the body that is recorded shows no secret, and the one that is sent has them', async () => {
  const source = { id: 1, slug: 'pushover', values: { priority: '0' }, switches: { push_events: true } };
  const found = { effective: { active: true, source }, secrets: { api_key: 'app"key', user_key: 'userkey' } };
  const target = integrationTarget({ toSend: async () => found as never });
  const { body, ...change } = changes.push as NonNullable<typeof changes.push>;
  const delivery = { targetId: 1, idempotencyKey: 'k', projectId: 5, groupId: 0 };
  const requests = await target.prepare(delivery as never, { ...change, body: JSON.stringify(body.json) } as never);
  if ('skip' in requests) throw new Error(requests.skip);
  expect(requests).toHaveLength(1);
  const [sent] = requests;
  expect(JSON.parse(String(sent?.body))).toMatchObject({ token: 'app"key', user: 'userkey' });
  expect(JSON.parse(sent?.shownBody ?? '')).toMatchObject({ token: '[REDACTED]', user: '[REDACTED]' });
});
