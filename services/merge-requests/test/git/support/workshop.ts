import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensureRepository, openRepository, type Repository, type Sha, type Signature } from '../../../src/git';

const environment = {
  PATH: process.env.PATH,
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Ada Author',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Carl Committer',
  GIT_COMMITTER_EMAIL: 'carl@example.com',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** A fixed committer, so that results can be compared byte for byte. */
export const committer: Signature = {
  name: 'Carl Committer',
  email: 'carl@example.com',
  date: new Date('2024-03-01T10:00:00Z'),
};
export const author: Signature = {
  name: 'Ada Author',
  email: 'ada@example.com',
  date: new Date('2024-02-01T10:00:00Z'),
  offset: 60,
};

/** A working copy driven by the `git` client, next to the bare repository under test. */
export class Workshop {
  readonly root = mkdtempSync(join(tmpdir(), 'switchyard-git-'));
  readonly work = join(this.root, 'work');
  private clock = 1_700_000_000;

  private constructor(readonly repo: Repository) {}

  static async open(): Promise<Workshop> {
    const root = mkdtempSync(join(tmpdir(), 'switchyard-git-'));
    const repo = openRepository(join(root, 'repo:sit "ories'), 42);
    await ensureRepository(repo);
    const shop = new Workshop(repo);
    shop.cleanUp.push(root, shop.root);
    mkdirSync(shop.work);
    shop.git('init', '--quiet', '--initial-branch=main');
    shop.git('remote', 'add', 'origin', repo.path);
    return shop;
  }

  private readonly cleanUp: string[] = [];

  close(): void {
    for (const path of this.cleanUp) rmSync(path, { recursive: true, force: true });
  }

  /** Runs the client in the working copy; answers its output without the last line feed. */
  git(...args: string[]): string {
    return this.gitBuffer(...args)
      .toString('utf8')
      .replace(/\n$/, '');
  }

  gitBuffer(...args: string[]): Buffer {
    const date = `${this.clock} +0100`;
    return execFileSync('git', args, {
      cwd: this.work,
      env: { ...environment, GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
      stdio: ['ignore', 'pipe', 'pipe'],
      maxBuffer: 1 << 28,
    });
  }

  /** True when the command succeeds. */
  tryGit(...args: string[]): boolean {
    try {
      this.git(...args);
      return true;
    } catch {
      return false;
    }
  }

  write(files: Record<string, string | Buffer | undefined>): void {
    for (const [path, content] of Object.entries(files)) {
      const full = join(this.work, path);
      if (content === undefined) rmSync(full, { force: true, recursive: true });
      else {
        mkdirSync(dirname(full), { recursive: true });
        writeFileSync(full, content);
      }
    }
  }

  /** Commits these files on what is checked out; `undefined` removes one. A second passes. */
  commit(message: string, files: Record<string, string | Buffer | undefined> = {}): Sha {
    this.write(files);
    this.clock += 1;
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '-m', message);
    return this.head();
  }

  /**
   * Commits one change after another on `from`, `undefined` removing a file, by one process and without the working
   * copy.
   * @returns a SHA for each; a second passes between them
   */
  commits(changes: readonly Record<string, string | Buffer | undefined>[], from?: Sha): Sha[] {
    const stream = changes.flatMap((files, at) => {
      this.clock += 1;
      const message = Buffer.from(`change ${this.clock}\n`);
      const date = `${this.clock} +0100`;
      const parent = at === 0 ? from : `:${at}`;
      return [
        `commit refs/heads/made\nmark :${at + 1}\nauthor Ada Author <ada@example.com> ${date}\n`,
        `committer Carl Committer <carl@example.com> ${date}\ndata ${message.length}\n`,
        message,
        parent === undefined ? '' : `from ${parent}\n`,
        ...Object.entries(files).flatMap(([path, content]) => {
          if (content === undefined) return [`D ${path}\n`];
          const bytes = typeof content === 'string' ? Buffer.from(content) : content;
          return [`M 100644 inline ${path}\ndata ${bytes.length}\n`, bytes, '\n'];
        }),
        `\nget-mark :${at + 1}\n`,
      ];
    });
    // Without a parent the first commit would go on from where the ref stands.
    const input = Buffer.concat(
      ['reset refs/heads/made\n\n', ...stream].map((part) => (typeof part === 'string' ? Buffer.from(part) : part)),
    );
    const made = execFileSync('git', ['fast-import', '--quiet', '--force'], {
      cwd: this.work,
      env: environment,
      input,
    });
    return made.toString().trim().split('\n') as Sha[];
  }

  head(): Sha {
    return this.git('rev-parse', 'HEAD') as Sha;
  }

  /** Brings every branch and tag into the bare repository. */
  publish(): void {
    this.git('push', '--quiet', '--force', '--prune', 'origin', 'refs/heads/*:refs/heads/*', 'refs/tags/*:refs/tags/*');
  }

  /** `git fsck` of the bare repository; throws when it finds anything wrong. */
  fsck(): string {
    return execFileSync('git', ['--git-dir', this.repo.path, 'fsck', '--full', '--strict', '--no-dangling'], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    }).toString();
  }

  /** The client, in the bare repository. */
  bare(...args: string[]): string {
    return execFileSync('git', ['--git-dir', this.repo.path, ...args], { env: environment, maxBuffer: 1 << 28 })
      .toString('utf8')
      .replace(/\n$/, '');
  }
}
