import { sql } from '@switchyard/database/sql';
import type { Sha } from '../../src/git';
import type { LandingMethod } from '../../src/merge-trains/domain/landing-receipt';
import { handmadeLandings, projectId, type Row, report } from './handmade-landings';

const made = handmadeLandings();
const { tree, write, look } = made;

/** A receipt of a batch, with its number. */
type Member = Row & { iid: number };

const iids = [11, 12, 13];

/** Three sources that leave one base, landed one on the other by the git client alone. */
function batch(method: LandingMethod): [Member, Member, Member] {
  const { shop } = made;
  const fork = shop.commit('Start', { 'shared.txt': 'shared' });
  const heads = iids.map((iid) => {
    shop.git('checkout', '-q', '-b', `s${iid}`, fork);
    return shop.commit(`Change ${iid}`, { [`f${iid}.txt`]: `${iid}` });
  });
  shop.git('checkout', '-q', '-B', 'main', fork);
  let base: Sha = shop.commit('Main goes on', { 'main.txt': 'on' });
  const landed = heads.map((head, at) => {
    const onto = base;
    shop.git('checkout', '-q', '--detach', onto);
    if (method === 'merge') shop.git('merge', '-q', '--no-ff', '-m', `Merge ${at}`, head);
    else {
      shop.git('cherry-pick', head);
      if (method === 'rebase_merge') {
        const tip = shop.head();
        shop.git('checkout', '-q', '--detach', onto);
        shop.git('merge', '-q', '--no-ff', '-m', `Merge ${at}`, tip);
      }
    }
    base = shop.head();
    return { onto, head, sha: base };
  });
  shop.git('checkout', '-q', '-B', 'main', base);
  shop.publish();
  const members = landed.map(
    ({ onto, head, sha }, at): Member => ({
      iid: iids[at] as number,
      batch: iids,
      method,
      squash: false,
      head,
      base: onto,
      landed: sha,
      landedTree: tree(sha),
      tested: base,
      testedTree: tree(base),
      merge: method === 'ff' ? null : sha,
      squashed: null,
      statuses: [report('ci')],
      required: [],
      pipelineId: 7,
      pipelineStatus: 'success',
      landedAt: new Date('2024-03-01T12:00:00Z'),
      targetBranch: 'main',
    }),
  );
  return members as [Member, Member, Member];
}

/** A move of main as the service records it. */
const moved = (before: string, after: string, source = 'merge') =>
  made.db.query(sql`
    insert into ref_change_intents (push_id, project_id, ref, old_sha, new_sha, actor_id, source, state, settled_at)
    values (gen_random_uuid(), ${projectId}, 'refs/heads/main', ${before}, ${after}, 1, ${source}, 'done', '2024-03-01T12:00:00Z')`);

/** What is said of each member, by its number; the branch moved once unless `moves` says otherwise. */
async function said(members: readonly Member[], moves?: () => Promise<unknown>) {
  for (const member of members) await write(member);
  if (moves === undefined) await moved(members[0]?.base ?? '', members[0]?.tested ?? '');
  else await moves();
  return Object.fromEntries((await look()).map(({ receipt, differences }) => [receipt.mergeRequestIid, differences]));
}

const nothing = { 11: [], 12: [], 13: [] };
const short = (sha: string) => sha.slice(0, 12);

describe('a batch as it should be (D8)', () => {
  test.each(['merge', 'ff', 'rebase_merge'] as const)('%s: nothing differs', async (method) => {
    expect(await said(batch(method))).toEqual(nothing);
  });

  test('one whose pipeline passed when its commit was tested again', async () => {
    const members = batch('merge').map((member) => ({ ...member, reruns: 1 }));
    expect(await said(members)).toEqual(nothing);
  });

  test('one that a user pushed before the train could', async () => {
    const [one, two, three] = batch('merge');
    const byHand = async () => {
      await moved(one.base, two.landed, 'push');
      await moved(two.landed, three.landed, 'push');
    };
    expect(await said([one, two, three], byHand)).toEqual(nothing);
  });

  test('one of which nothing is remembered any more', async () => {
    const old = new Date('2024-02-20T00:00:00Z');
    const members = batch('merge').map((member) => ({ ...member, landedAt: old }));
    expect(await said(members, async () => undefined)).toEqual(nothing);
  });
});

describe('what was tampered with in a batch is found (D8)', () => {
  test('without its batch, another commit was tested than landed', async () => {
    const [one, two, three] = batch('merge');
    const { batch: _, ...alone } = one;
    expect((await said([alone as Member, two, three]))[11]).toEqual([
      'another commit was tested than landed',
      'another tree was tested than landed',
    ]);
  });

  test('a member without a receipt', async () => {
    const [one, , three] = batch('merge');
    expect(await said([one, three])).toEqual({
      11: ['!12 of the batch has no receipt'],
      13: ['!12 of the batch has no receipt'],
    });
  });

  test('a member that was tested by another pipeline, as another commit, or in another batch', async () => {
    const [one, two, three] = batch('merge');
    expect((await said([one, { ...two, pipelineId: 8 }, three]))[11]).toEqual([
      '!12 of the batch has another pipeline',
    ]);
    await made.db.query(sql`truncate landing_receipts, ref_change_intents cascade`);
    const early = { tested: two.landed, testedTree: two.landedTree };
    expect((await said([one, { ...two, ...early }, three]))[11]).toEqual([
      `!12 of the batch was tested as ${short(two.landed)}`,
    ]);
    await made.db.query(sql`truncate landing_receipts, ref_change_intents cascade`);
    expect((await said([one, { ...two, batch: [11, 12] }, three]))[11]).toEqual(['!12 names another batch']);
  });

  test('another order than that of the commits', async () => {
    const members = batch('merge').map((member) => ({ ...member, batch: [12, 11, 13] }));
    expect((await said(members))[12]).toEqual(
      expect.arrayContaining([
        '!11 of the batch does not lie on !12',
        '!13 of the batch does not lie on !11',
        expect.stringMatching(/^\w+ of !11 does not lie on \w+$/),
      ]),
    );
  });

  test('a commit that landed behind what was tested', async () => {
    const [one, two, three] = batch('merge');
    const tested = { tested: two.landed, testedTree: two.landedTree };
    const found = await said([one, two, three].map((member) => ({ ...member, ...tested })));
    expect(found[13]).toEqual([
      `${short(two.landed)} was tested, and ${short(three.landed)} is the last of the batch`,
      'another tree was tested than the last of the batch has',
      'the tested commit is not reached from '.concat(short(three.landed)),
    ]);
  });

  test('a commit smuggled in between two members', async () => {
    const [one, two] = batch('merge');
    made.shop.git('checkout', '-q', '--detach', two.landed);
    const smuggled = made.shop.commit('Smuggled', { 'smuggled.txt': 'in' });
    made.shop.git('merge', '-q', '--no-ff', '-m', 'Merge 2', 's13');
    const landed = made.shop.head();
    made.shop.git('push', '-q', '--force', 'origin', `${landed}:main`);
    const tested = { tested: landed, testedTree: tree(landed) };
    const three = { ...batchOf(two, landed), head: made.shop.git('rev-parse', 's13'), base: two.landed };
    const found = await said([{ ...one, ...tested }, { ...two, ...tested }, three]);
    expect(found[11]).toEqual([`${short(landed)} of !13 does not lie on ${short(two.landed)}`]);
    expect(found[12]).toEqual([`${short(landed)} of !13 does not lie on ${short(two.landed)}`]);
    expect(found[13]).toEqual([`the first parent of the merge commit is ${short(smuggled)}, not the base`]);
  });

  const batchOf = (two: Member, landed: Sha): Member => ({
    ...two,
    iid: 13,
    landed,
    merge: landed,
    landedTree: tree(landed),
    tested: landed,
    testedTree: tree(landed),
  });

  test('another tree than the tested commit has', async () => {
    const [one, two, three] = batch('merge');
    const found = await said([one, two, three].map((member) => ({ ...member, testedTree: one.landedTree })));
    expect(found[11]).toEqual([
      'another tree was tested than the last of the batch has',
      `the tested commit has the tree ${short(three.landedTree)}, not ${short(one.landedTree)}`,
    ]);
  });

  test('a branch that moved more than once, and so stood at what was not tested', async () => {
    const [one, two, three] = batch('merge');
    const stepwise = async () => {
      await moved(one.base, one.landed);
      await moved(one.landed, three.landed);
    };
    const differences = [
      `the branch stood at ${short(one.landed)}, which was not tested`,
      `the branch did not move from ${short(one.base)} to ${short(three.landed)} at once`,
    ];
    expect(await said([one, two, three], stepwise)).toEqual({ 11: differences, 12: differences, 13: differences });
  });

  test('a branch that did not move there at all', async () => {
    const members = batch('merge');
    const differences = [
      `the branch did not move from ${short(members[0].base)} to ${short(members[2].landed)} at once`,
    ];
    expect(await said(members, async () => undefined)).toEqual({ 11: differences, 12: differences, 13: differences });
  });

  test.each([
    [[11], /^no batch consists of !11$/],
    [[11, 11, 12], /^no batch consists of/],
    [Array.from({ length: 11 }, (_, at) => at + 11), /^no batch consists of/],
    [[12, 13], /^the batch does not name its merge request$/],
  ])('a batch that is none: %j', async (named, expected) => {
    const [one, two, three] = batch('merge');
    expect((await said([{ ...one, batch: named }, two, three]))[11]).toContainEqual(expect.stringMatching(expected));
  });

  test('a batch of one that skipped the train', async () => {
    const [one, two, three] = batch('merge');
    const skipped = { tested: null, testedTree: null, statuses: [], pipelineId: null, pipelineStatus: null };
    expect((await said([{ ...one, ...skipped }, two, three]))[11]).toContain(
      'a batch is recorded without a tested commit',
    );
  });

  test('the failed pipeline in place of the one that passed when the commit was tested again', async () => {
    const [one] = batch('merge');
    const { batch: _, ...alone } = { ...one, tested: one.landed, testedTree: one.landedTree, reruns: 1 };
    const pipeline = async (at: number, status: string) => {
      const ref = 'refs/merge-requests/11/train';
      const [{ id }] = (await made.db.query<{ id: number }>(sql`
        insert into pipelines (iid, project_id, sha, ref, source, status, user_id)
        values (${at}, ${projectId}, ${one.landed}, ${ref}, 'merge_request_event', ${status}, 1) returning id`)) as [
        { id: number },
      ];
      const [{ id: statusId }] = (await made.db.query<{ id: number }>(sql`
        insert into commit_statuses (pipeline_id, project_id, sha, ref, name, status, user_id)
        values (${id}, ${projectId}, ${one.landed}, ${ref}, 'ci', ${status}, 1) returning id`)) as [{ id: number }];
      return { id, statusId };
    };
    const [failed, passed] = [await pipeline(1, 'failed'), await pipeline(2, 'success')];
    const statuses = [report('ci', 'success', passed.statusId)];
    expect(await said([{ ...alone, pipelineId: passed.id, statuses } as Member])).toEqual({ 11: [] });
    await made.db.query(sql`truncate landing_receipts cascade`);
    expect(await said([{ ...alone, pipelineId: failed.id, statuses } as Member])).toEqual({
      11: [`the pipeline has no report ${passed.statusId} of ci`],
    });
    await made.db.query(sql`truncate landing_receipts cascade`);
    const forged = [report('ci', 'success', failed.statusId)];
    expect(await said([{ ...alone, pipelineId: failed.id, statuses: forged } as Member])).toEqual({
      11: ['status ci is recorded as success, and was reported as ci failed'],
    });
  });
});
