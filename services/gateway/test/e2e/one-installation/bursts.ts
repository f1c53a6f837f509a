import type { ApiReply, System } from '../support/system';

/** Many requests at once: each is done and answered, or refused before anything was done. */
export const burstTests = (started: () => System): void =>
  describe('a burst', () => {
    let system: System;
    let project = 0;

    const make = (path: string, body: unknown) => system.api('POST', path, { body });
    const atOnce = (count: number, one: (at: number) => Promise<ApiReply>): Promise<ApiReply[]> =>
      Promise.all(Array.from({ length: count }, (_, at) => one(at)));
    const statuses = (replies: readonly ApiReply[]): Record<string, number> => {
      const counts: Record<string, number> = {};
      for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
      return counts;
    };

    /** Makes things that may be refused on a machine that is busy otherwise, and then only early; those refused are not there. */
    async function expectAllMadeOrRefused(
      count: number,
      one: (at: number) => Promise<ApiReply>,
      there: (at: number) => Promise<ApiReply>,
    ): Promise<void> {
      const replies = await atOnce(count, one);
      const counts = statuses(replies);
      expect((counts[201] ?? 0) + (counts[503] ?? 0)).toBe(count);
      expect(counts[201]).toBeGreaterThan(0);
      for (const [at, { status, headers }] of replies.entries()) {
        if (status === 201) continue;
        expect(headers.get('retry-after')).toMatch(/^[1-5]$/);
        expect((await there(at)).status).toBe(404);
      }
    }

    beforeAll(async () => {
      system = started();
      project = (await make('/projects', { name: 'Burst', path: 'burst', initialize_with_readme: true })).body.id;
      expect((await system.api('GET', `/projects/${project}/repository/branches/main`)).status).toBe(200);
    });

    it('of 25 users makes all of them, and others are served meanwhile', async () => {
      let made = 0;
      const making = atOnce(25, async (at) => {
        const user = {
          email: `u${at}@example.com`,
          username: `u${at}`,
          name: `U ${at}`,
          password: 'correct horse battery',
        };
        for (;;) {
          const reply = await make('/users', user);
          // On a machine that is busy otherwise it may be too many. A user that was made all the same would then be a conflict.
          if (reply.status === 503 && reply.headers.has('retry-after')) continue;
          made += 1;
          return reply;
        }
      });
      expect((await system.api('GET', `/projects/${project}`)).status).toBe(200);
      expect(made).toBeLessThan(25);
      expect(statuses(await making)).toEqual({ 201: 25 });
    });

    it.each([
      [
        'branches',
        (at: number) => make(`/projects/${project}/repository/branches`, { branch: `b${at}`, ref: 'main' }),
        (at: number) => system.api('GET', `/projects/${project}/repository/branches/b${at}`),
      ],
      [
        'files',
        (at: number) =>
          make(`/projects/${project}/repository/files/f${at}`, {
            branch: 'main',
            content: 'x',
            commit_message: `f${at}`,
          }),
        (at: number) => system.api('GET', `/projects/${project}/repository/files/f${at}?ref=main`),
      ],
      [
        'protected branches',
        (at: number) => make(`/projects/${project}/protected_branches`, { name: `p${at}` }),
        (at: number) => system.api('GET', `/projects/${project}/protected_branches/p${at}`),
      ],
    ])('of 60 %s in one project leaves none done that was answered 503', async (_name, one, there) => {
      await expectAllMadeOrRefused(60, one, there);
    });

    it('of 60 merge requests that are the same makes one', async () => {
      await make(`/projects/${project}/repository/branches`, { branch: 'same', ref: 'main' });
      const replies = await atOnce(60, () =>
        make(`/projects/${project}/merge_requests`, { source_branch: 'same', target_branch: 'main', title: 'Same' }),
      );
      const made = replies.filter(({ status }) => status === 201);
      expect(statuses(replies)).toEqual({ 201: 1, 409: 59 });
      expect(replies.find(({ status }) => status === 409)?.body).toEqual({
        message: [`Another open merge request already exists for this source branch: !${made[0]?.body.iid}`],
      });
      const { body } = await system.api('GET', `/projects/${project}/merge_requests`);
      expect(body).toHaveLength(1);
    });
  });
