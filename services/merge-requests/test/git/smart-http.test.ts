import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { unavailable } from '@switchyard/errors';
import fc from 'fast-check';
import {
  listRefs,
  mergeRequestRef,
  type ProposedUpdate,
  readCommit,
  type Sha,
  type UpdateResult,
  updateRefs,
  zeroSha,
} from '../../src/git';
import { client, GitServer } from './support/git-server';
import { Workshop } from './support/workshop';

const leftovers = (shop: Workshop): string[] =>
  readdirSync(join(shop.repo.path, 'objects')).filter((name) => name.startsWith('tmp_'));

describe('smart HTTP', () => {
  let shop: Workshop;
  let server: GitServer;
  const git = (...args: string[]) => client(shop.work, ...args);
  const refs = async () => Object.fromEntries((await listRefs(shop.repo, ['refs/'])).map(({ ref, sha }) => [ref, sha]));

  beforeEach(async () => {
    shop = await Workshop.open();
    server = await GitServer.start(shop.repo);
    shop.git('remote', 'set-url', 'origin', server.url);
  });
  afterEach(async () => {
    expect(leftovers(shop)).toEqual([]);
    shop.fsck();
    await server.close();
    shop.close();
  });

  it('takes a history of several hundred commits, binary files and tags, and gives it back whole', async () => {
    for (let at = 0; at < 300; at++) {
      shop.write({ [`dir${at % 7}/file${at % 40}.txt`]: `${at}\n`.repeat(20) });
      if (at % 30 === 0) shop.write({ [`bin${at}.dat`]: randomBytes(30_000) });
      shop.commit(`commit ${at}`);
      if (at % 50 === 0) shop.git('tag', '-a', `v${at}`, '-m', `version ${at}`);
    }
    shop.git('branch', 'side', 'HEAD~10');
    const heard: (readonly ProposedUpdate[])[] = [];
    server.onIntent = async (updates) => void heard.push(updates);
    const push = await git('push', '--all', 'origin');
    expect(push).toMatchObject({ code: 0 });
    expect(await git('push', '--tags', 'origin')).toMatchObject({ code: 0 });
    expect(heard[0]?.map(({ ref, action, old, kind }) => [ref, action, old, kind])).toEqual([
      ['refs/heads/main', 'create', zeroSha, 'branch'],
      ['refs/heads/side', 'create', zeroSha, 'branch'],
    ]);
    expect(heard[1]).toHaveLength(6);
    for (const version of ['0', '2']) {
      const copy = join(shop.root, `copy${version}`);
      expect(await git('-c', `protocol.version=${version}`, 'clone', '-q', server.url, copy)).toMatchObject({
        code: 0,
      });
      expect((await client(copy, 'rev-parse', 'HEAD', 'v250^{}')).output).toBe(
        (await git('rev-parse', 'HEAD', 'v250^{}')).output,
      );
      expect((await client(copy, 'fsck', '--strict')).code).toBe(0);
      const shallow = join(shop.root, `shallow${version}`);
      expect(
        await git('-c', `protocol.version=${version}`, 'clone', '-q', '--depth=3', server.url, shallow),
      ).toMatchObject({ code: 0 });
      expect((await client(shallow, 'rev-list', '--count', 'HEAD')).output.trim()).toBe('3');
      expect((await client(shallow, '-c', `protocol.version=${version}`, 'fetch', '-q', '--deepen=5')).code).toBe(0);
      expect((await client(shallow, 'rev-list', '--count', 'HEAD')).output.trim()).toBe('8');
      expect((await client(shallow, 'commit', '--allow-empty', '-qm', 'from a shallow clone')).code).toBe(0);
      expect(await client(shallow, 'push', 'origin', `HEAD:refs/heads/from-shallow-${version}`)).toMatchObject({
        code: 0,
      });
    }
    shop.commit('one more', { 'dir1/file1.txt': 'thin\n' });
    expect((await git('push', 'origin', 'main')).code).toBe(0);
    expect((await git('push', 'origin', 'main')).output).toContain('Everything up-to-date');
    expect((await client(join(shop.root, 'copy2'), 'pull', '-q')).code).toBe(0);
    expect((await client(join(shop.root, 'copy2'), 'rev-parse', 'HEAD')).output.trim()).toBe(shop.head());
  });

  it('takes packs larger than one request buffer, and gzipped requests', async () => {
    shop.commit('large', { 'large.bin': randomBytes(3 << 20) });
    expect(await git('push', 'origin', 'main')).toMatchObject({ code: 0 });
    expect(server.outcomes.map(({ results }) => results.length)).toEqual([0, 1]);
    // Many negotiation lines make the client compress its request.
    const copy = join(shop.root, 'copy');
    expect((await git('clone', '-q', server.url, copy)).code).toBe(0);
    for (let at = 0; at < 120; at++) await client(copy, 'commit', '-q', '--allow-empty', '-m', `local ${at}`);
    shop.commit('news', { 'n.txt': 'n' });
    expect((await git('push', 'origin', 'main')).code).toBe(0);
    expect(await client(copy, '-c', 'protocol.version=0', 'fetch', '-q')).toMatchObject({ code: 0 });
    expect((await client(copy, 'rev-parse', 'origin/main')).output.trim()).toBe(shop.head());
  });

  it('passes to the service what is proposed, with the objects readable and nothing moved', async () => {
    const first = shop.commit('first', { a: '1' });
    await git('push', 'origin', 'main');
    const second = shop.commit('second', { a: '2' });
    const calls: string[] = [];
    server.decide = async ({ updates, quarantine, options }) => {
      calls.push('decide');
      expect(updates).toMatchObject([
        {
          ref: 'refs/heads/main',
          old: first,
          new: second,
          action: 'update',
          forced: false,
          kind: 'branch',
          name: 'main',
        },
      ]);
      expect(options).toEqual(['ci.skip', 'a=b']);
      expect((await readCommit(quarantine, second))?.title).toBe('second');
      expect(await readCommit(shop.repo, second)).toBeUndefined();
      return { verdicts: [{ accept: true }], messages: ['welcome'] };
    };
    server.onIntent = async (updates) => {
      calls.push('intent');
      expect((await refs())['refs/heads/main']).toBe(first);
      expect((await readCommit(shop.repo, updates[0]!.new))?.title).toBe('second');
    };
    const results: (readonly UpdateResult[])[] = [];
    server.onResult = async (settled) => {
      calls.push('result');
      results.push(settled);
      expect((await refs())['refs/heads/main']).toBe(second);
      return { messages: ['To create a merge request, visit: http://example.test/new'] };
    };
    const push = await git('push', '-o', 'ci.skip', '-o', 'a=b', 'origin', 'main');
    expect(push.output).toContain('remote: welcome');
    expect(push.output).toContain('remote: To create a merge request, visit: http://example.test/new');
    expect(calls).toEqual(['decide', 'intent', 'result']);
    expect(results).toEqual([[{ ref: 'refs/heads/main', old: first, new: second, ok: true }]]);
  });

  it('refuses with a reason on the screen and takes the rest', async () => {
    shop.commit('first', { a: '1' });
    server.decide = async ({ updates }) => ({
      verdicts: updates.map(({ name }) =>
        name === 'main'
          ? { accept: false, reason: 'You are not allowed to push code to protected branches on this project.' }
          : { accept: true },
      ),
      messages: ['GitLab: \u001b[31mno'],
    });
    const push = await git('push', 'origin', 'main', 'main:other');
    expect(push.code).toBe(1);
    expect(push.output).toContain(
      '! [remote rejected] main -> main (You are not allowed to push code to protected branches on this project.)',
    );
    expect(push.output).toContain('* [new branch]      main -> other');
    expect(push.output).not.toContain('\u001b[31m');
    expect(Object.keys(await refs())).toEqual(['refs/heads/other']);
  });

  it('keeps an atomic push whole', async () => {
    shop.commit('first', { a: '1' });
    server.decide = async ({ updates }) => ({
      verdicts: updates.map(({ name }) => (name === 'b' ? { accept: false, reason: 'no' } : { accept: true })),
    });
    expect((await git('push', '--atomic', 'origin', 'main:a', 'main:b', 'main:c')).code).toBe(1);
    expect(await refs()).toEqual({});
    server.reset();
    server.onIntent = async () => {
      await updateRefs(shop.repo, [{ ref: 'refs/heads/b' as never, old: zeroSha, new: shop.head() }]);
    };
    expect((await git('push', '--atomic', 'origin', 'main:a', 'main:b', 'main:c')).code).toBe(1);
    expect(Object.keys(await refs())).toEqual(['refs/heads/b']);
    server.reset();
    expect((await git('push', '--atomic', 'origin', 'main:a', 'main:c')).code).toBe(0);
  });

  it('distinguishes a forced update from a plain one, and deletes', async () => {
    shop.commit('first', { a: '1' });
    shop.commit('second', { a: '2' });
    await git('push', 'origin', 'main', 'main:gone');
    shop.git('reset', '-q', '--hard', 'HEAD~1');
    const other = shop.commit('other', { a: '3' });
    expect((await git('push', 'origin', 'main')).code).toBe(1);
    const forced: boolean[] = [];
    server.decide = async ({ updates }) => {
      forced.push(...updates.map((update) => update.forced));
      return { verdicts: updates.map(() => ({ accept: true })) };
    };
    expect((await git('push', '--force', 'origin', 'main')).code).toBe(0);
    expect(forced).toEqual([true]);
    expect((await git('push', 'origin', ':gone')).code).toBe(0);
    expect(await refs()).toEqual({ 'refs/heads/main': other });
  });

  it('shows merge request references and lets no one push them or anything else outside branches and tags', async () => {
    const sha = shop.commit('first', { a: '1' });
    await git('push', 'origin', 'main');
    const head = mergeRequestRef(7, 'head');
    await updateRefs(shop.repo, [
      { ref: head, old: zeroSha, new: sha },
      { ref: 'refs/keep-around/x' as never, old: zeroSha, new: sha },
    ]);
    expect(
      (await git('ls-remote', 'origin')).output
        .split('\n')
        .filter(Boolean)
        .map((line) => line.split('\t')[1]),
    ).toEqual(['HEAD', 'refs/heads/main', head]);
    expect((await git('-c', 'protocol.version=0', 'fetch', 'origin', `${head}:refs/mr`)).code).toBe(0);
    const push = await git(
      'push',
      'origin',
      'main:refs/merge-requests/7/head',
      'main:refs/merge-requests/8/head',
      'main:refs/notes/x',
      'main:refs/heads/refs/heads/y',
      `main:refs/heads/${sha}`,
    );
    expect(push.output.match(/read-only/g)).toHaveLength(2);
    expect(push.output).toContain('only branches and tags can be pushed');
    expect(push.output.match(/invalid reference name/g)).toHaveLength(2);
    expect(Object.keys(await refs())).toEqual(['refs/heads/main', 'refs/keep-around/x', head]);
  });

  it('lets one of several pushes to one branch win', async () => {
    shop.commit('base', { a: '0' });
    await git('push', 'origin', 'main');
    const base = shop.head();
    const tips: Sha[] = [];
    for (let at = 0; at < 4; at++) {
      shop.git('checkout', '-q', '-B', `c${at}`, base);
      tips.push(shop.commit(`c${at}`, { [`f${at}`]: 'x' }));
    }
    let waiting = 0;
    let release: () => void = () => undefined;
    const all = new Promise<void>((resolve) => {
      release = resolve;
    });
    server.onIntent = async () => {
      waiting += 1;
      if (waiting === 4) release();
      await all;
    };
    const pushes = await Promise.all(tips.map((_, at) => git('push', 'origin', `c${at}:main`)));
    expect(pushes.filter(({ code }) => code === 0)).toHaveLength(1);
    expect(pushes.filter(({ output }) => output.includes('fetch first'))).toHaveLength(3);
    expect((await refs())['refs/heads/main']).toBe(tips[pushes.findIndex(({ code }) => code === 0)]);
  });

  it('refuses names that cannot exist next to each other and takes the rest', async () => {
    shop.commit('first', { a: '1' });
    await git('push', 'origin', 'main:topic');
    const push = await git('push', 'origin', 'main:topic/x', 'main:fine');
    expect(push.output).toContain('name conflicts with another reference');
    expect(Object.keys(await refs())).toEqual(['refs/heads/fine', 'refs/heads/topic']);
  });

  it('leaves nothing of an upload that breaks off', async () => {
    const sha = shop.commit('large', { 'large.bin': randomBytes(2 << 20) });
    const line = `${zeroSha} ${sha} refs/heads/main\0 report-status side-band-64k`;
    const pack = shop.gitBuffer('pack-objects', '--all', '--stdout', '-q');
    await new Promise<void>((resolve) => {
      const request = httpRequest(`${server.url}/git-receive-pack`, { method: 'POST' });
      request.on('error', () => resolve());
      request.write(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`);
      request.write(pack.subarray(0, 1 << 20), () => setTimeout(() => request.destroy(), 100));
    });
    for (let tries = 0; tries < 100 && server.failures.length === 0; tries++)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(server.failures).toHaveLength(1);
    expect(await refs()).toEqual({});
    expect(shop.bare('count-objects')).toBe('0 objects, 0 kilobytes');
  });

  async function post(body: Buffer, headers: Record<string, string> = {}): Promise<string> {
    const reply = await fetch(`${server.url}/git-receive-pack`, {
      method: 'POST',
      body: new Uint8Array(body),
      headers,
    });
    return Buffer.from(await reply.arrayBuffer()).toString('latin1');
  }
  const command = (old: string, next: string, ref: string): string => {
    const line = `${old} ${next} ${ref}\0 report-status`;
    return `${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`;
  };

  it('refuses a corrupt pack, a pack with holes and a request it cannot read', async () => {
    const first = shop.commit('first', { a: '1' });
    const second = shop.commit('second', { b: '2' });
    const whole = shop.gitBuffer('pack-objects', '--all', '--stdout', '-q');
    const damaged = Buffer.from(whole);
    damaged[damaged.length - 30]! ^= 0xff;
    expect(await post(Buffer.concat([Buffer.from(command(zeroSha, second, 'refs/heads/main')), damaged]))).toContain(
      'unpack unpack-objects failed',
    );
    shop.write({ '../list': `${second}\n` });
    const hole = await packOf(shop, second);
    const reply = await post(Buffer.concat([Buffer.from(command(zeroSha, second, 'refs/heads/main')), hole]));
    expect(reply).toMatch(/ng refs\/heads\/main (missing necessary objects|unpacker error)/);
    expect(await post(Buffer.from('zzzz'))).toContain('ERR bad packet length');
    expect(await post(Buffer.from('0010not a command0000'))).toContain('ERR ');
    expect(await post(Buffer.from('0000'))).toBe('');
    expect(await refs()).toEqual({});
    const good = gzipSync(Buffer.concat([Buffer.from(command(zeroSha, second, 'refs/heads/main')), whole]));
    expect(await post(good, { 'content-encoding': 'gzip' })).toContain('ok refs/heads/main');
    expect(await readCommit(shop.repo, first)).toBeDefined();
    await expect(post(good.subarray(0, 60), { 'content-encoding': 'gzip' })).rejects.toThrow();
    await expect(post(Buffer.from('no gzip at all'), { 'content-encoding': 'gzip' })).rejects.toThrow();
    expect(await post(Buffer.from('0000'))).toBe('');
  });

  /** Sends a whole push and can disconnect. */
  function sendAndLeave(body: Buffer): () => void {
    const request = httpRequest(`${server.url}/git-receive-pack`, { method: 'POST' });
    request.on('error', () => undefined);
    request.end(body);
    return () => request.destroy();
  }
  const until = async (done: () => boolean): Promise<void> => {
    for (let tries = 0; tries < 200 && !done(); tries++) await new Promise((resolve) => setTimeout(resolve, 10));
  };

  it('lets a client leave before the intent without a trace, and after it without a gap', async () => {
    const sha = shop.commit('first', { a: '1' });
    const pack = shop.gitBuffer('pack-objects', '--all', '--stdout', '-q');
    const line = `${zeroSha} ${sha} refs/heads/main\0 report-status side-band-64k`;
    const body = Buffer.concat([Buffer.from(`${(line.length + 4).toString(16).padStart(4, '0')}${line}0000`), pack]);
    let leave = (): void => undefined;
    const pause = () => new Promise((resolve) => setTimeout(resolve, 150));
    server.decide = async ({ updates }) => {
      leave();
      await pause();
      return { verdicts: updates.map(() => ({ accept: true })), messages: ['nobody reads this'] };
    };
    leave = sendAndLeave(body);
    await until(() => server.failures.length > 0);
    expect(server.failures).toHaveLength(1);
    expect(await refs()).toEqual({});
    expect(shop.bare('count-objects')).toBe('0 objects, 0 kilobytes');
    server.reset();
    const settled: (readonly UpdateResult[])[] = [];
    server.onIntent = async () => {
      leave();
      await pause();
    };
    server.onResult = async (results) => {
      settled.push(results);
      return { messages: ['nobody reads this either'] };
    };
    leave = sendAndLeave(body);
    await until(() => server.outcomes.length > 0);
    expect(settled).toMatchObject([[{ ref: 'refs/heads/main', ok: true }]]);
    expect(await refs()).toEqual({ 'refs/heads/main': sha });
  });

  it('answers or ends whatever bytes it is sent', async () => {
    const sha = 'a'.repeat(40);
    const piece = fc.oneof(
      fc.constantFrom(
        '0000',
        '0001',
        '0004',
        '0005',
        'fff0',
        'ffff',
        'PACK',
        '\0',
        ' ',
        zeroSha,
        sha,
        'refs/heads/x',
        'refs/heads/../x',
        `0068${zeroSha} ${sha} refs/heads/x\0 report-status`,
        'shallow ',
        'push-cert\0',
      ),
      fc.string({ maxLength: 20 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 8 }), async (pieces) => {
        await post(Buffer.from(pieces.join(''), 'latin1')).catch(() => '');
        expect(await refs()).toEqual({});
      }),
      { numRuns: 60 },
    );
  });

  it('checks incoming objects as strictly as fsck', async () => {
    shop.write({ x: 'x' });
    const blob = shop.git('hash-object', '-w', 'x');
    shop.write({ '../tree': Buffer.concat([Buffer.from('100644 .git\0'), Buffer.from(blob, 'hex')]) });
    const tree = shop.git('hash-object', '-t', 'tree', '-w', '--literally', '../tree');
    const commit = shop.git('commit-tree', tree, '-m', 'evil');
    shop.git('update-ref', 'refs/heads/evil', commit);
    const push = await git('push', 'origin', 'evil');
    expect(push.code).toBe(1);
    expect(push.output).toMatch(/remote: error: object [0-9a-f]{40}: hasDotgit/);
    expect(await refs()).toEqual({});
  });

  it('holds its bounds', async () => {
    shop.commit('large', { 'large.bin': randomBytes(1 << 18) });
    server.limits = { maxPackBytes: 100_000 };
    expect((await git('push', 'origin', 'main')).output).toContain('pack exceeds maximum allowed size');
    server.limits = { maxUpdates: 2 };
    expect((await git('push', 'origin', 'main:a', 'main:b', 'main:c')).output).toContain(
      'too many references in one push',
    );
    expect(await refs()).toEqual({});
  });

  it.each([
    ['internal error', new Error('a bug')],
    ['503 Service Unavailable', unavailable(new Error('database away'))],
  ])('refuses everything when an intent cannot be committed, and says why: %s', async (reason, cause) => {
    shop.commit('first', { a: '1' });
    server.onIntent = async () => {
      throw cause;
    };
    expect((await git('push', 'origin', 'main')).output).toContain(`(${reason})`);
    expect(await refs()).toEqual({});
    expect(server.failures).toHaveLength(1);
    server.reset();
    server.onResult = async () => {
      throw new Error('database away');
    };
    expect((await git('push', 'origin', 'main')).code).toBe(0);
    expect(server.outcomes[0]?.resultError).toBeInstanceOf(Error);
  });

  it('fetches from an empty repository', async () => {
    const copy = join(shop.root, 'empty');
    expect((await git('clone', '-q', server.url, copy)).code).toBe(0);
    expect(existsSync(join(copy, '.git'))).toBe(true);
    rmSync(copy, { recursive: true });
  });
});

/** A pack of one commit and its tree alone, whose other objects are missing. */
async function packOf(shop: Workshop, sha: Sha): Promise<Buffer> {
  const { execFileSync } = await import('node:child_process');
  return execFileSync('git', ['pack-objects', '--stdout', '-q'], {
    cwd: shop.work,
    input: `${sha}\n`,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}
