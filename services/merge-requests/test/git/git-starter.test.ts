import { PassThrough } from 'node:stream';
import { frameReader, writeFrame } from '../../src/git/frames';
import { runGitHere } from '../../src/git/git-process';
import { serveGit } from '../../src/git/git-starter';
import { gitStarter } from '../../src/git/starter-client';

/** A starter in this process: the same loop, over pipes of its own. */
function starter() {
  const opened: { input: PassThrough; output: PassThrough; served: Promise<void> }[] = [];
  const run = gitStarter(() => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    opened.push({ input, output, served: serveGit(input, output) });
    return { input, output };
  });
  return { run, opened };
}

describe('git through its starter', () => {
  it('says what git says, whatever comes in between', async () => {
    const { run, opened } = starter();
    const bytes = Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 256));
    const args = ['hash-object', '--stdin'];
    const here = await runGitHere(undefined, args, { input: bytes });
    const both = await Promise.all([
      run(undefined, args, { input: bytes }),
      run(undefined, ['version'], {}),
      run(undefined, args, { input: '' }),
    ]);
    expect(both[0]).toEqual(here);
    expect(both[1].stdout.toString()).toMatch(/^git version/);
    expect(both[2].stdout.toString()).toBe('e69de29bb2d1d6434b8b29ae775ad8c2e48c5391\n');
    expect(opened).toHaveLength(1);
    opened[0]?.input.end();
    await opened[0]?.served;
  });

  it('refuses as git itself is refused', async () => {
    const { run, opened } = starter();
    const wrong = run(undefined, ['no-such-command'], {});
    await expect(wrong).rejects.toMatchObject({ name: 'GitCommandError', command: 'no-such-command', code: 1 });
    await expect(run(undefined, ['version'], { maxOutput: 3 })).rejects.toMatchObject({ kind: 'too_large' });
    const slow = run(undefined, ['-c', 'alias.wait=!sleep 30', 'wait'], { timeoutMs: 50 });
    await expect(slow).rejects.toMatchObject({ kind: 'request_timeout' });
    opened[0]?.input.end();
  });

  it('a caller that gives up ends the command', async () => {
    const { run, opened } = starter();
    const stop = new AbortController();
    const given = run(undefined, ['-c', 'alias.wait=!sleep 30', 'wait'], { signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(given).rejects.toThrow('enough');
    opened[0]?.input.end();
    await opened[0]?.served;
  });

  it('a starter that dies leaves its commands open and is started anew', async () => {
    const { run, opened } = starter();
    const lost = run(undefined, ['-c', 'alias.wait=!sleep 1', 'wait'], {});
    const said = expect(lost).rejects.toMatchObject({ kind: 'unavailable' });
    opened[0]?.output.end();
    await said;
    await expect(run(undefined, ['version'], {})).resolves.toMatchObject({ code: 0 });
    expect(opened).toHaveLength(2);
    for (const { input } of opened) input.end();
    await Promise.all(opened.map(({ served }) => served));
  });
});

it('frames survive being cut anywhere', async () => {
  const whole = new PassThrough();
  const sent = [
    { header: { id: 1 }, body: Buffer.alloc(0) },
    { header: { id: 2, text: 'ü'.repeat(70_000) }, body: Buffer.from([0, 255]) },
    { header: 3, body: Buffer.alloc(200_000, 7) },
  ];
  for (const { header, body } of sent) writeFrame(whole, header, body);
  whole.end();
  const bytes = Buffer.concat(await whole.toArray());
  const cut = new PassThrough();
  void (async () => {
    for (let at = 0, step = 1; at < bytes.length; at += step, step = (step * 3) % 4_099) {
      cut.write(bytes.subarray(at, at + step));
    }
    cut.end();
  })();
  const read = [];
  for await (const frame of frameReader(cut)) read.push({ header: frame.header, body: Buffer.from(frame.body) });
  expect(read).toEqual(sent);
});
