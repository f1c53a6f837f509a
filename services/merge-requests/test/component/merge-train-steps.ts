import { sql } from '@switchyard/database/sql';
import { eventually } from '@switchyard/testkit';
import { at, type Body, mergeRequestSteps, mr, type ProjectSettings } from './merge-request-steps';
import { type Harness, type Person, people, type TestProject } from './repository-harness';

const { maintainer, developer } = people;

/** How long something is waited for that needs several builds, milliseconds. */
const within = 30_000;

/** What tests of merge trains do again and again, on the harness that is there when they do it. */
export function mergeTrainSteps(harness: () => Harness) {
  const steps = mergeRequestSteps(harness);
  const { api, commit, newProject, open, status } = steps;

  const trains = (project: TestProject, path = ''): string => at(project, `/merge_trains${path}`);
  const car = (project: TestProject, iid: number, path = ''): string =>
    trains(project, `/merge_requests/${iid}${path}`);

  /** A merge request from a branch `b<iid>` that adds `files`, with a green pipeline on its head. */
  async function ready(project: TestProject, iid: number, files?: Record<string, string>): Promise<void> {
    const branch = `b${iid}`;
    const sha = await commit(project, branch, files ?? { [`${branch}.txt`]: `${branch}\n` }, { start: 'main' });
    await status(project, sha, { state: 'success', ref: branch });
    expect((await open(project, branch)).iid).toBe(iid);
  }

  const board = (project: TestProject, iid: number, body: object = {}, by: Person = maintainer) =>
    api(by, 'POST', car(project, iid), body);

  /**
   * A project whose train has the merge requests 1 to `count`, in this order. What is green lands at once and
   * what fails is not tried again, unless `settings` says otherwise.
   */
  async function withTrain(
    count: number,
    settings: ProjectSettings = {},
    { settling_seconds }: { settling_seconds: number | 'default' } = { settling_seconds: 0 },
  ): Promise<TestProject> {
    const project = await newProject({
      merge_trains_enabled: true,
      merge_train_retries: 0,
      ...(settling_seconds === 'default' ? {} : { merge_train_settling_seconds: settling_seconds }),
      ...settings,
    });
    for (let iid = 1; iid <= count; iid += 1) await ready(project, iid);
    for (let iid = 1; iid <= count; iid += 1) expect((await board(project, iid)).status).toBe(201);
    return project;
  }

  /** The entries of the train, in queue order. */
  async function queue(project: TestProject): Promise<Body[]> {
    const { body } = await api(developer, 'GET', trains(project, '?scope=active&sort=asc'));
    return body.sort((one: Body, other: Body) => one.position - other.position);
  }

  /** The entries of the train by the number of the merge request, once `check` accepts them. */
  const standing = (
    project: TestProject,
    check: (entries: Record<number, Body>, inOrder: number[]) => void = () => undefined,
  ): Promise<Record<number, Body>> =>
    eventually(
      async () => {
        const entries = await queue(project);
        const byIid = Object.fromEntries(entries.map((entry) => [entry.merge_request.iid, entry]));
        check(
          byIid,
          entries.map((entry) => entry.merge_request.iid),
        );
        return byIid;
      },
      { within, every: 50 },
    );

  return {
    ...steps,
    trains,
    car,
    ready,
    board,
    withTrain,
    queue,
    standing,

    /** The entries once the named ones, and no others, are in the train, each with a pipeline that waits for reports. */
    tested: (project: TestProject, iids: readonly number[]): Promise<Record<number, Body>> =>
      standing(project, (entries, inOrder) => {
        expect(inOrder).toEqual(iids);
        for (const iid of iids) {
          expect(entries[iid]).toMatchObject({ status: 'fresh', failing: false, pipeline: { status: 'pending' } });
        }
      }),

    /** Reports what the pipeline of an entry, or a probe, found. */
    async report(project: TestProject, entry: Body, state: string, name = 'ci', more: object = {}): Promise<void> {
      const { id, sha } = entry.pipeline;
      const reply = await status(project, sha, { state, name, pipeline_id: id, ...more }, maintainer);
      expect([reply.status, reply.body]).toMatchObject([201, {}]);
    },

    merged: (project: TestProject, iid: number): Promise<Body> =>
      eventually(
        async () => {
          const { body } = await api(developer, 'GET', mr(project, iid));
          expect(body.state).toBe('merged');
          return body;
        },
        { within, every: 50 },
      ),

    control: (project: TestProject, body?: object, by: Person = maintainer) =>
      api(by, body === undefined ? 'GET' : 'PUT', trains(project, '/main/control'), body),

    /** What was published under a name about the merge requests of a project: their number and the fact, in order. */
    async facts(project: TestProject, name: string): Promise<[number, Body][]> {
      const rows = await harness().db.query<{ iid: number; fact: Body }>(sql`
        select m.iid, o.body::jsonb -> ${name}::text as fact
        from events.outbox o join merge_requests m on m.id::text = o.key and m.project_id = ${project.id}
        where o.type = 'merge_request.changed' and o.body::jsonb -> ${name}::text is not null order by o.id`);
      return rows.map(({ iid, fact }) => [iid, fact]);
    },

    /** Commits that a commit was made of. */
    async parents(project: TestProject, sha: string): Promise<string[]> {
      return (await api(developer, 'GET', at(project, `/repository/commits/${sha}`))).body.parent_ids;
    },

    /** Has the train looked at as the sweep would do that next. */
    async sweep(project: TestProject): Promise<void> {
      await harness().db.query(
        sql`update merge_trains set due_at = now() - interval '1 second' where project_id = ${project.id}`,
      );
    },
  };
}
