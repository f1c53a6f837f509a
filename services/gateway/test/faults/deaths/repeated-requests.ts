import { formats, publicationOf } from '../../e2e/support/publications';
import { kill } from '../kill';
import type { Chosen, Ground } from './ground';

/** Requests that are sent again with their key. */
export function repeatedRequestDeaths(_: Chosen, here: () => Ground): void {
  it('requests with a key are carried out once at the most while processes are killed, and nobody is told otherwise', async () => {
    const { system, fixture } = here();
    const project = `/projects/${fixture.projectId}`;
    const created = {
      issues: (name: string) => ({ title: name }),
      labels: (name: string) => ({ name, color: '#ff0000' }),
      'repository/branches': (name: string) => ({ branch: name, ref: 'main' }),
      milestones: (name: string) => ({ title: name }),
      // A snippet has a repository, variables and deploy tokens go through Prisma, what follows from a tag is another
      // service's.
      snippets: (name: string) => ({
        title: name,
        visibility: 'private',
        files: [{ file_path: 'a', content: name }],
      }),
      variables: (name: string) => ({ key: name.replace('-', '_'), value: 'v' }),
      deploy_tokens: (name: string) => ({ name, scopes: ['read_repository'] }),
      'repository/tags': (name: string) => ({ tag_name: name, ref: 'main' }),
      'packages/protection/rules': (name: string) => ({
        package_name_pattern: name,
        package_type: 'npm',
        minimum_access_level_for_push: 'owner',
      }),
    };
    const nameOf = (one: Record<string, unknown>) =>
      [one.title, one.filename, one.name, one.key, one.package_name_pattern].find((given) => given !== undefined);
    type Rows = Record<string, unknown>[];
    const list = async (path: string) => (await fixture.ok('GET', `${project}/${path}`)) as Rows;
    const namesIn = async (kind: string): Promise<string[]> =>
      (await list(`${kind}?per_page=100`)).map((one) => String(nameOf(one)).replace('_', '-'));
    /** A file of a package that is published again becomes another one, or is refused. */
    const filesIn = async (format: string): Promise<string[]> => {
      const packages = await list(`packages?package_type=${format}&per_page=100`);
      const files = packages.map(async ({ id, name }) =>
        (await list(`packages/${id}/package_files`)).map(() => String(name).replace(/^.*[/]/, '')),
      );
      return (await Promise.all(files)).flat();
    };
    interface Write {
      readonly method: string;
      readonly path: string;
      readonly body: unknown;
      /** Names of what is there. */
      readonly there: () => Promise<string[]>;
    }
    const writes: Record<string, (name: string) => Write> = {
      uploads(name) {
        const body = new FormData();
        body.set('file', new Blob([name.repeat(50_000)]), name);
        return { method: 'POST', path: 'uploads', body, there: () => namesIn('uploads') };
      },
    };
    for (const [kind, bodyOf] of Object.entries(created))
      writes[kind] = (name) => ({ method: 'POST', path: kind, body: bodyOf(name), there: () => namesIn(kind) });
    for (const format of formats)
      writes[format] = (name) => {
        const { method, path, body } = publicationOf(format, name, '1.0.0', `${name} `.repeat(2_000)).send;
        return { method, path: `packages/${path}`, body, there: () => filesIn(format) };
      };
    const keyed = (key: string, { method, path, body }: Write) =>
      system
        .api(method, `${project}/${path}`, { body, headers: { 'Idempotency-Key': key } })
        .catch((error: unknown) => {
          // The connection broke; a reply that breaks its contract is a failure of its own.
          if (/breaks its contract/.test(String(error))) throw error;
          return undefined;
        });
    const kinds = Object.keys(writes);
    const requestOf = (kind: string, index: number) => {
      const name = `keyed-${index}`;
      const key = `${kind}-${index}`;
      const write = (writes[kind] as (typeof writes)[string])(name);
      return { kind, key, name, there: write.there, send: () => keyed(key, write) };
    };
    const requests = kinds.flatMap((kind) => Array.from({ length: 6 }, (_, index) => requestOf(kind, index)));
    let killing = true;
    const killed = (async () => {
      const last = new Map<string, number | undefined>();
      for (const name of [
        'gateway',
        'collaboration',
        'packages',
        'gateway',
        'groups-admin',
        'gateway',
        'merge-requests',
      ]) {
        last.set(name, await kill(system, name, last.get(name)));
        await new Promise((settle) => setTimeout(settle, 400));
      }
      killing = false;
    })();
    /** A client that comes again after what may be repeated with the same key. */
    const insist = async ({ key, send }: (typeof requests)[number]) => {
      let [reply, tries] = [await send(), 1];
      const isOpen = () => reply === undefined || reply.status >= 500 || reply.headers.has('retry-after');
      for (; (isOpen() || killing) && tries < 400; tries += 1) {
        // A reply that is kept comes at once: asked for more often, it would keep the processes from starting.
        await new Promise((settle) => setTimeout(settle, 250));
        reply = await send();
        // What a dead gateway had begun is given up after two minutes, which the test does not wait for.
        if (reply?.status === 409 && isOpen() && !killing)
          await system.query(
            'groups_admin',
            `update idempotency_keys set running_until = now() where key = '${key}' and state = 'running'`,
          );
      }
      return reply;
    };
    const replies = await Promise.all(requests.map(insist));
    await killed;
    // Of each kind one that nothing interrupts.
    const last = kinds.map((kind) => requestOf(kind, 6));
    const lastReplies = await Promise.all(last.map(insist));
    // npm and Maven have 200.
    const done = (status: number | undefined): boolean => status === 200 || status === 201;
    expect(lastReplies.filter((reply) => !done(reply?.status)).map((reply) => reply?.text)).toEqual([]);
    requests.push(...last);
    replies.push(...lastReplies);
    for (const [at, { name, there: found, send }] of requests.entries()) {
      const there = (await found()).filter((one) => one === name);
      const reply = replies[at];
      expect(reply?.status === 409 || done(reply?.status) ? '' : reply?.text).toBe('');
      expect(there.length).toBeLessThanOrEqual(1);
      if (reply?.status === 409) {
        expect(reply.body.message).toMatch(/may have been carried out/);
        continue;
      }
      expect(there).toHaveLength(1);
      const again = await send();
      expect([again?.status, again?.text, again?.headers.get('idempotent-replayed')]).toEqual([
        reply?.status,
        reply?.text,
        'true',
      ]);
    }
    // Most are answered: only what a process had in its hands is not.
    expect(replies.filter((reply) => done(reply?.status)).length).toBeGreaterThan(requests.length / 4);
  });
}
