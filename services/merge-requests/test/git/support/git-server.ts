import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  advertiseReceivePack,
  advertiseUploadPack,
  decodedBody,
  gitProtocolOf,
  type ProposedPush,
  type ProposedUpdate,
  type PushLimits,
  type PushOutcome,
  type Repository,
  readFetchRequest,
  receivePack,
  smartHttpTypes,
  type UpdateResult,
  uploadPack,
  type Verdict,
} from '../../../src/git';

/** A smart HTTP server over the layer under test, with hooks that a test sets. */
export class GitServer {
  decide: (push: ProposedPush) => Promise<{ verdicts: Verdict[]; messages?: string[] }> = async ({ updates }) => ({
    verdicts: updates.map(() => ({ accept: true })),
  });
  onIntent: (updates: readonly ProposedUpdate[]) => Promise<void> = async () => undefined;
  onResult: (results: readonly UpdateResult[]) => Promise<{ messages?: string[] } | undefined> = async () => undefined;
  limits: PushLimits = {};
  readonly outcomes: PushOutcome[] = [];
  readonly failures: unknown[] = [];
  private readonly server: Server;

  private constructor(private readonly repo: Repository) {
    this.server = createServer(async (request, response) => {
      const url = new URL(request.url ?? '', 'http://localhost');
      const gitProtocol = gitProtocolOf(request.headers['git-protocol'] as string | undefined);
      const gone = new AbortController();
      response.once('close', () => gone.abort());
      const service =
        url.pathname === '/repo.git/info/refs'
          ? url.searchParams.get('service')
          : url.pathname.replace('/repo.git/', '');
      if (service !== 'git-upload-pack' && service !== 'git-receive-pack') return void response.writeHead(404).end();
      response.setHeader('Cache-Control', 'no-cache');
      const advertise = request.method === 'GET';
      response.setHeader(
        'Content-Type',
        advertise ? smartHttpTypes.advertisement(service) : smartHttpTypes.result(service),
      );
      const body = decodedBody(request, request.headers['content-encoding']);
      try {
        if (service === 'git-upload-pack') {
          if (advertise) await advertiseUploadPack(this.repo, response, { gitProtocol });
          else await uploadPack(this.repo, await readFetchRequest(body), response, { gitProtocol });
        } else if (advertise) await advertiseReceivePack(this.repo, response);
        else {
          const onIntent = async (updates: readonly ProposedUpdate[]) => {
            await this.onIntent(updates);
            return this.repo;
          };
          const hooks = { decide: this.decide, onIntent, onResult: this.onResult };
          this.outcomes.push(await receivePack(this.repo, body, response, hooks, this.limits));
        }
      } catch (cause) {
        this.failures.push(cause);
        response.destroy();
      }
    });
  }

  static async start(repo: Repository): Promise<GitServer> {
    const server = new GitServer(repo);
    await new Promise<void>((resolve) => server.server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/repo.git`;
  }

  reset(): void {
    this.decide = async ({ updates }) => ({ verdicts: updates.map(() => ({ accept: true })) });
    this.onIntent = async () => undefined;
    this.onResult = async () => undefined;
    this.limits = {};
    this.outcomes.length = 0;
    this.failures.length = 0;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** Runs the client without blocking the server in this process. */
export function client(cwd: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const env = {
    PATH: process.env.PATH,
    HOME: '/nonexistent',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: 'A',
    GIT_AUTHOR_EMAIL: 'a@example.com',
    GIT_COMMITTER_NAME: 'C',
    GIT_COMMITTER_EMAIL: 'c@example.com',
    LC_ALL: 'C',
  };
  return new Promise((resolve) => {
    execFile('git', args, { cwd, env, maxBuffer: 1 << 27 }, (error, stdout, stderr) => {
      resolve({ code: error ? Number(error.code ?? 1) : 0, output: `${stdout}${stderr}` });
    });
  });
}
