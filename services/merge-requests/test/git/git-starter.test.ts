import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
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
    return { input, output, kill: () => undefined };
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

  it('a starter that crashes leaves its commands open and is started again', async () => {
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

  it('a starter that does not answer is ended, and the next command has a new one', async () => {
    const killed: number[] = [];
    const served: { input: PassThrough; end: Promise<void> }[] = [];
    let opened = 0;
    const run = gitStarter(() => {
      const [input, output] = [new PassThrough(), new PassThrough()];
      opened += 1;
      const number = opened;
      // The first one reads, and never says anything.
      if (number === 1) input.resume();
      else served.push({ input, end: serveGit(input, output) });
      return { input, output, kill: () => killed.push(number) };
    }, 100);
    const late = run(undefined, ['version'], { timeoutMs: 50 });
    const lost = run(undefined, ['gc'], {});
    const both = Promise.all([
      expect(late).rejects.toMatchObject({ name: 'AppError', kind: 'request_timeout' }),
      expect(lost).rejects.toMatchObject({ kind: 'unavailable' }),
    ]);
    expect(killed).toEqual([]);
    await both;
    expect([killed, opened]).toEqual([[1], 1]);
    await expect(run(undefined, ['version'], {})).resolves.toMatchObject({ code: 0 });
    expect([killed, opened]).toEqual([[1], 2]);
    served[0]?.input.end();
    await served[0]?.end;
  });

  it('a process that hangs is killed', async () => {
    const children: ChildProcess[] = [];
    const run = gitStarter(() => {
      const child = spawn('sleep', ['60'], { stdio: ['pipe', 'pipe', 'ignore'] });
      child.kill('SIGSTOP');
      children.push(child);
      return { input: child.stdin, output: child.stdout, kill: () => child.kill('SIGKILL') };
    }, 100);
    const ended = run(undefined, ['version'], { timeoutMs: 100 });
    const gone = once(children[0] as ChildProcess, 'exit');
    await expect(ended).rejects.toMatchObject({ kind: 'request_timeout' });
    expect(await gone).toEqual([null, 'SIGKILL']);
  });

  it('a starter whose replies cannot be parsed is abandoned, and its input is closed', async () => {
    const { run, opened } = starter();
    const lost = run(undefined, ['-c', 'alias.wait=!sleep 0.2', 'wait'], {});
    const said = expect(lost).rejects.toMatchObject({ kind: 'unavailable' });
    opened[0]?.output.write(Buffer.concat([Buffer.from([0, 0, 0, 1, 0, 0, 0, 0]), Buffer.from('?')]));
    await said;
    // It ends by itself, when what it was given has ended.
    await opened[0]?.served;
    await expect(run(undefined, ['version'], {})).resolves.toMatchObject({ code: 0 });
    opened[1]?.input.end();
    await opened[1]?.served;
  });

  it('nothing keeps the process alive for a command that was given up', async () => {
    const held: boolean[] = [];
    const counted = (stream: PassThrough) =>
      Object.assign(stream, { ref: () => held.push(true), unref: () => held.push(false) });
    const run = gitStarter(() => ({
      input: counted(new PassThrough().resume()),
      output: counted(new PassThrough()),
      kill: () => undefined,
    }));
    const [first, second] = [new AbortController(), new AbortController()];
    const one = run(undefined, ['version'], { signal: first.signal });
    const other = run(undefined, ['version'], { signal: second.signal });
    first.abort(new Error('enough'));
    await expect(one).rejects.toThrow('enough');
    expect(held).not.toContain(false);
    second.abort(new Error('enough'));
    await expect(other).rejects.toThrow('enough');
    expect(held.slice(-2)).toEqual([false, false]);
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
