import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@switchyard/testkit';
import { makeFixture, makeUser } from '../support/fixture';
import { startReceiver } from '../support/receiver';
import type { System } from '../support/system';

interface Change {
  readonly position: number;
  readonly kind: string;
  readonly body: object;
}

/** One installation: what happens in a project, as a webhook and the readers of its feed get it. */
export const changeFeedTests = (started: () => System): void =>
  test('G-6-3, G-6-4: a webhook and the feed carry the same in one order, and a Guest gets what a Guest may read', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchyard-feed-'));
    const receiver = await startReceiver();
    try {
      const guest = await makeUser(started(), 'feedguest');
      const fixture = await makeFixture(started(), guest, 'feed', folder);
      const project = `/projects/${fixture.projectId}`;
      await fixture.ok('PUT', `${project}/members/${guest.id}`, { access_level: 10 });
      const { changes: earlier } = await fixture.ok('GET', `${project}/changes?per_page=100`);
      const after = earlier.at(-1)?.position ?? 0;
      await fixture.ok('POST', `${project}/hooks`, {
        url: receiver.url,
        token: 'word',
        push_events: false,
        issues_events: true,
        confidential_issues_events: true,
        note_events: true,
        merge_requests_events: true,
      });

      const { iid } = await fixture.ok('POST', `${project}/issues`, { title: 'Open' });
      await fixture.ok('POST', `${project}/issues`, { title: 'Hidden', confidential: true });
      await fixture.ok('POST', `${project}/issues/${iid}/notes`, { body: 'A note' });
      const work = await fixture.workingCopy('work');
      await work.branch('topic');
      await work.push('topic');
      await fixture.ok('POST', `${project}/merge_requests`, {
        source_branch: 'topic',
        target_branch: 'main',
        title: 'Topic',
      });

      const kinds = ['issue', 'issue', 'note', 'merge_request'];
      await eventually(() => expect(receiver.received).toHaveLength(kinds.length), { within: 30_000, every: 100 });
      const byPosition = receiver.received
        .map(({ headers, body }) => ({ event: headers['x-gitlab-event'], headers, body: JSON.parse(body) }))
        .sort((a, b) => a.body.change.position - b.body.change.position);
      for (const { headers } of byPosition)
        expect(headers).toMatchObject({ 'x-gitlab-token': 'word', 'idempotency-key': expect.any(String) });
      expect(byPosition.map(({ event }) => event).sort()).toEqual([
        'Confidential Issue Hook',
        'Issue Hook',
        'Merge Request Hook',
        'Note Hook',
      ]);

      const read = async (token?: string): Promise<Change[]> =>
        (await fixture.ok('GET', `${project}/changes?after=${after}`, undefined, token)).changes.filter(
          ({ kind }: Change) => kinds.includes(kind),
        );
      expect((await read()).map(({ body }) => body)).toEqual(byPosition.map(({ body }) => body));
      // Other tests of this installation have their places in the same order: it has no gap.
      const [row] = await started().query(
        'groups_admin',
        'select count(*)::int as count, (max(position) - min(position) + 1)::int as places from changes',
      );
      expect(row?.count).toBe(row?.places);

      const ofGuest = await read(guest.token);
      expect(ofGuest.map(({ kind }) => kind)).toEqual(['issue', 'note']);
      expect(JSON.stringify(ofGuest)).not.toContain('Hidden');
    } finally {
      await receiver.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
