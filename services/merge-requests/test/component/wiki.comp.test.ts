import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from '@switchyard/database/sql';
import { RepositoryExportServiceService } from '@switchyard/protos/merge_requests/v1/repository_export';
import { eventually } from '@switchyard/testkit';
import { ensureRepository, openRepository, openWiki, readHead } from '../../src/git';
import { formerFollower } from '../../src/repositories/application/copies';
import { importBundle } from '../../src/repositories/application/import-bundle';
import { moveRepository, removeFormerCopy } from '../../src/repositories/application/move-repository';
import { purgeRepositories } from '../../src/repositories/application/purge-repositories';
import { storagesIn } from '../../src/repositories/application/storages';
import { sweepCopies } from '../../src/repositories/application/sweep-copies';
import { wikisOf } from '../../src/repositories/application/wikis';
import { repositoryStore } from '../../src/repositories/storage/repository.store';
import { copiesIn } from '../../src/repositories/transport/repository-copy.client';
import { gitSteps } from './git-steps';
import { type Harness, type Person, people, startHarness, type TestProject } from './repository-harness';

const storages = { SWITCHYARD_REPOSITORY_STORAGES: 'default:1,second:0' };
let harness: Harness;
const { commit, events, pushed, repositoryWith } = gitSteps(() => harness);

beforeAll(async () => {
  harness = await startHarness(undefined, { SWITCHYARD_RECOVERY_SECONDS: '1', ...storages });
});
afterAll(() => harness?.close());

const remote = (person: Person | undefined, { path }: TestProject) => harness.remote(person, `${path}.wiki`);
const folders = () => storagesIn(harness.data, new Map(Object.entries({ default: 1, second: 0 })));
const copies = () => copiesIn(folders(), new Map());
const wikiIn = ({ id }: TestProject, storage = 'default') => folders().at(storage, id, 'wiki');
const headOf = async (path: string, ref: string) => (await harness.git(path, 'rev-parse', ref)).trim();
const probe = async (project: TestProject, person: Person | undefined, service = 'git-upload-pack') => {
  const authorization = `Basic ${Buffer.from(`x:${person?.token}`).toString('base64')}`;
  const response = await fetch(`${harness.url}/${project.path}.wiki.git/info/refs?service=${service}`, {
    headers: person === undefined ? {} : { authorization },
  });
  return { status: response.status, text: await response.text() };
};

/** A project with a wiki of one page, on a branch of that name. */
async function withWiki(branch = 'main'): Promise<{ project: TestProject; pages: string }> {
  const project = await harness.project();
  const pages = await repositoryWith({ 'home.md': '# Home\n' });
  await harness.git(pages, 'push', '--quiet', remote(people.developer, project), `main:${branch}`);
  return { project, pages };
}

test('a wiki that is not there is empty to those who may push to it, and not found by others', async () => {
  const project = await harness.project();
  expect(await probe(project, people.reporter)).toEqual({ status: 404, text: '404 Wiki Not Found\n' });
  expect((await probe(project, people.guest)).status).toBe(403);
  expect((await probe(project, undefined)).status).toBe(401);
  const unseen = await probe(project, people.outsider);
  expect(unseen.status).toBe(404);
  expect(unseen).toEqual(await probe({ id: 0, path: 'group/missing' }, people.outsider));
  expect((await probe(project, people.reporter, 'git-receive-pack')).status).toBe(403);
  expect((await probe(project, people.readOnly)).status).toBe(404);
  expect(existsSync(wikiIn(project).path)).toBe(false);

  const folder = harness.folder();
  await harness.git(folder, 'clone', '--quiet', remote(people.developer, project), 'wiki');
  await commit(join(folder, 'wiki'), { 'home.md': '# Home\n' }, 'Home');
  await harness.git(join(folder, 'wiki'), 'push', '--quiet', 'origin', 'HEAD:main');
  await harness.git(folder, 'clone', '--quiet', remote(people.reporter, project), 'read');
  expect(readFileSync(join(folder, 'read', 'home.md'), 'utf8')).toBe('# Home\n');
});

test('git is asked for its user where a wiki is not there that this one might make', async () => {
  const project = await harness.project({ visibility: 'public' });
  expect(await probe(project, undefined)).toEqual({ status: 401, text: '401 Unauthorized\n' });
  const folder = harness.folder();
  await harness.git(folder, 'clone', '--quiet', remote(people.developer, project), 'wiki');
  expect((await probe(project, undefined)).status).toBe(200);
});

test('pushes to a wiki obey none of the rules on code, and nothing follows from them', async () => {
  const { project, folder } = await pushed();
  const before = await events(project.id);
  const pages = await repositoryWith({ 'home.md': '# Home\n' });
  const push = (person: Person, ...args: string[]) => harness.git(pages, 'push', remote(person, project), ...args);
  // `main` of the code is protected from Developers, also from a force push.
  expect(await push(people.developer, '-o', 'mr.create', 'main', 'main:notes')).toContain(
    'remote: Switchyard: Push options have no effect on a wiki.',
  );
  await harness.git(pages, 'commit', '--quiet', '--amend', '--allow-empty', '-m', 'Closes #1');
  expect(await push(people.developer, '--force', 'main')).not.toContain('merge request');
  const refused = (person: Person, ...args: string[]) =>
    harness.gitFails(pages, 'push', remote(person, project), ...args);
  expect(await refused(people.developer, 'main:refs/merge-requests/1/head')).toContain('read-only');
  expect(await refused(people.reporter, 'main')).toContain('You are not allowed to write to the wiki');
  expect(await refused(people.readOnly, 'main')).toContain('scopes');
  expect(await refused(people.outsider, 'main')).toMatch(/not found/);

  expect(await headOf(wikiIn(project).path, 'main')).toBe(await headOf(pages, 'main'));
  expect(await headOf(openRepository(join(harness.data, 'repositories'), project.id).path, 'main')).toBe(
    await headOf(folder, 'main'),
  );
  expect(await events(project.id)).toEqual(before);
  expect(await harness.db.query(sql`select ref from ref_change_intents where project_id = ${project.id}`)).toHaveLength(
    1,
  );

  await harness.db.query(sql`update directory.projects set archived = true where id = ${project.id}`);
  await eventually(async () => expect(await refused(people.owner, 'main:late')).toContain('archived'));
  expect((await probe(project, people.reporter)).status).toBe(200);
});

test('a clone checks out the first branch whatever its name, and another one when that goes', async () => {
  const { project, pages } = await withWiki('master');
  expect(await readHead(wikiIn(project))).toBe('master');
  await harness.git(pages, 'push', '--quiet', remote(people.developer, project), 'main:other', ':master');
  expect(await readHead(wikiIn(project))).toBe('other');
});

test('a project whose own path ends so is meant before the wiki of another one', async () => {
  const { project } = await withWiki();
  const other = await harness.project({ path: `${project.path}.wiki` });
  await eventually(async () => expect((await probe(project, people.reporter)).text).not.toContain('refs/heads/main'));
  expect(existsSync(openRepository(join(harness.data, 'repositories'), other.id).path)).toBe(true);
});

test('its size is measured with that of the repository', async () => {
  const { project } = await withWiki();
  await harness.db.query(sql`update repositories set measure_at = now() where project_id = ${project.id}`);
  const found = () =>
    harness.db.query<{ body: { size?: string; wikiSize?: string } }>(sql`
      select body from events.outbox where type = 'repository.measured' and key = ${String(project.id)} order by id`);
  await eventually(async () => expect(Number((await found()).at(-1)?.body.wikiSize ?? 0)).toBeGreaterThan(0), {
    within: 20_000,
  });
  expect(Number((await found()).at(-1)?.body.size ?? 0)).toBe(0);
}, 30_000);

test('it moves with the repository, also one that is made meanwhile', async () => {
  const [{ project, pages }, later] = [await withWiki(), (await pushed()).project];
  const repositories = repositoryStore(harness.db);
  let isMade = false;
  const move = moveRepository({
    storages: folders(),
    copies: copies(),
    repositories: {
      ...repositories,
      async move(...args) {
        if (!isMade) await harness.git(pages, 'push', '--quiet', remote(people.developer, later), 'main');
        isMade = true;
        return repositories.move(...args);
      },
    },
  });
  // What an older move has left is nobody's wiki.
  const only = (await pushed()).project;
  await ensureRepository(wikiIn(only, 'second'));
  for (const { id } of [later, project, only]) await move(id, 'second', () => undefined);
  for (const one of [later, project])
    expect(await headOf(wikiIn(one, 'second').path, 'main')).toBe(await headOf(pages, 'main'));
  expect(existsSync(wikiIn(only, 'second').path)).toBe(false);

  // Objects that a push has brought to the former copy follow.
  const late = (
    await harness.git(wikiIn(project).path, 'commit-tree', '-p', 'main', '-m', 'Late', 'main^{tree}')
  ).trim();
  await commit(pages, { 'new.md': 'new\n' }, 'New');
  await harness.git(pages, 'push', '--quiet', remote(people.developer, project), 'main');
  expect(await headOf(wikiIn(project, 'second').path, 'main')).toBe(await headOf(pages, 'main'));
  expect((await harness.git(wikiIn(project, 'second').path, 'cat-file', '-t', late)).trim()).toBe('commit');
  const isBackupRunning = async () => false;
  await removeFormerCopy({ storages: folders(), copies: copies(), repositories, isBackupRunning })({
    projectId: project.id,
  });
  expect([existsSync(wikiIn(project).path), existsSync(wikiIn(project, 'second').path)]).toEqual([false, true]);
}, 60_000);

test('it goes with its project, and so do what no row names and what lies in the place of a new one', async () => {
  const repositories = repositoryStore(harness.db);
  const isBackupRunning = async () => false;
  const [{ project: deleted }, { project: kept }] = [await withWiki(), await withWiki()];
  await ensureRepository(wikiIn(kept, 'second'));
  await sweepCopies({ repositories, storages: folders(), copies: copies(), isBackupRunning }, 0)();
  expect([existsSync(wikiIn(kept).path), existsSync(wikiIn(kept, 'second').path)]).toEqual([true, false]);
  await harness.db.query(sql`update directory.projects set deleted_at = now() where id = ${deleted.id}`);
  await purgeRepositories({ repositories, storages: folders(), isBackupRunning })();
  expect([existsSync(wikiIn(deleted).path), existsSync(wikiIn(kept).path)]).toEqual([false, true]);
  const next = await harness.project();
  await ensureRepository(openWiki(join(harness.data, 'repositories'), next.id));
  expect((await probe(next, people.reporter)).status).toBe(404);
});

test('it goes out as a bundle and comes in with it; where there is none, none is made', async () => {
  const [{ project, pages }, other] = [await withWiki('master'), await harness.project()];
  async function bundleOf({ id }: TestProject): Promise<Buffer> {
    const parts: Uint8Array[] = [];
    const bundles = harness.asImports(RepositoryExportServiceService);
    for await (const { data } of bundles.bundleWiki({ projectId: id }, { requestId: 'test' })) parts.push(data);
    return Buffer.concat(parts);
  }
  const { openRepository: open, changeRefs } = harness.beside.repositories;
  const wikis = wikisOf({
    open,
    repositories: repositoryStore(harness.db),
    storages: folders(),
    followFormer: formerFollower(copies(), folders()),
    changeElsewhere: undefined,
  });
  async function bring(content: Buffer) {
    async function* readBundle() {
      if (content.length > 0) yield content;
    }
    const place = { projectId: other.id, actorId: people.maintainer.id };
    const archive = { importKey: 'key', wiki: true };
    return importBundle({ open, changeRefs, wikis, readBundle })(place, archive, AbortSignal.timeout(60_000));
  }
  expect(await bring(await bundleOf(other))).toEqual({ refs: 0, skipped: 0 });
  expect(existsSync(wikiIn(other).path)).toBe(false);
  for (let times = 0; times < 2; times += 1)
    expect(await bring(await bundleOf(project))).toEqual({ refs: 1, skipped: 0 });
  expect(await headOf(wikiIn(other).path, 'HEAD')).toBe(await headOf(pages, 'main'));
  expect(await events(other.id)).toEqual([]);
});
