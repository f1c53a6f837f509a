import { replyValidator } from '../../../gateway/test/support/reply-validator';
import { type Harness, type Person, people, startHarness, type TestProject } from './repository-harness';

const valid = replyValidator();

/** Requests on the repository of a project; every answer must fit what its route declares. */
export function repositoryClient(here: () => { harness: Harness; project: TestProject }) {
  const at = (path: string) => `/projects/${here().project.id}${path}`;

  /** A request whose answer fits what its route declares. */
  async function api(person: Person | undefined, method: string, path: string, body?: unknown) {
    const reply = await here().harness.api(person, method, path, body);
    expect(valid(method, path, reply.status, reply.body)).toEqual([]);
    return reply;
  }
  const get = (path: string, person: Person = people.reporter) => api(person, 'GET', at(path));
  const post = (path: string, body: unknown, person: Person | undefined = people.developer) =>
    api(person, 'POST', at(path), body);

  async function write(branch: string, actions: object[], more: object = {}): Promise<string> {
    const reply = await api(people.maintainer, 'POST', at('/repository/commits'), {
      branch,
      commit_message: 'A commit\n\nReviewed-by: Ada <ada@example.org>\nReviewed-by: Bob',
      actions,
      ...more,
    });
    if (reply.status !== 201) throw new Error(reply.text);
    return (reply.body as { id: string }).id;
  }

  return { at, api, get, post, write };
}

/** A project whose branch `main` has some files. */
export async function startRepository(): Promise<{ harness: Harness; project: TestProject; head: string }> {
  const harness = await startHarness();
  const project = await harness.project();
  const { write } = repositoryClient(() => ({ harness, project }));
  const head = await write('main', [
    { action: 'create', file_path: 'README.md', content: '# Hello\n' },
    { action: 'create', file_path: 'src/deep/file name.txt', content: 'one\ntwo\n' },
    {
      action: 'create',
      file_path: 'picture.bin',
      content: Buffer.from([0, 1, 2, 255]).toString('base64'),
      encoding: 'base64',
    },
  ]);
  return { harness, project, head };
}
