import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { environment } from './git.mjs';

const people = 50;
const labels = 40;
const milestones = 20;
/** Files of the repository, and lines of each. */
const files = 100;
const lines = 50;
/** Comments on lines of each pull request; the last of them answers the first. */
const diffNotes = 3;
const address = 'https://forge.example/octo/things';

const at = (minutes) => new Date(Date.UTC(2020, 0, 1) + minutes * 60_000).toISOString();
const person = (number) => ({ login: `person-${number % people}`, id: 1 + (number % people) });
const words = 'What was seen, what was expected, and what to do about it, as people write it in an issue. ';
const list = (length, one) => Array.from({ length }, (_, index) => one(index + 1));
const dated = (minutes) => ({ created_at: at(minutes), updated_at: at(minutes + 5) });

const pathOf = (pull) => `src/part-${pull % files}.txt`;
const lineOf = (pull) => 1 + (pull % lines);
/** Of five pull requests three are merged, one is closed, and one is open. */
const stateOf = (pull) => ['open', 'merged', 'merged', 'merged', 'closed'][pull % 5];

/**
 * Writes `octo/things.git` with the commits of pull requests: a branch for each open one, the heads of all, and a merge for
 * each merged one.
 * @param pulls numbers of the pull requests, in their order
 * @returns shas of each: `base`, `head` and, of a merged one, `merge`
 */
function writeRepository(folder, pulls) {
  const path = join(folder, 'octo', 'things.git');
  const marksFile = join(folder, 'marks');
  mkdirSync(folder, { recursive: true });
  const contents = list(files, () => list(lines, (line) => `Line ${line} as it was at first`));
  const stream = [];
  let mark = 0;
  const add = (ref, { minutes, message, parents, changed }) => {
    mark += 1;
    const who = `Dana Developer <dana@example.com> ${Date.UTC(2020, 0, 1) / 1_000 + minutes * 60} +0000`;
    const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;
    const [from, merged] = parents;
    stream.push(
      `commit ${ref}\nmark :${mark}\ncommitter ${who}\n${data(message)}`,
      ...(from === undefined ? [] : [`from :${from}\n`]),
      ...(merged === undefined ? [] : [`merge :${merged}\n`]),
      ...changed.map(([name, text]) => `M 100644 inline ${name}\n${data(text)}`),
    );
    return mark;
  };
  let main = add('refs/heads/main', {
    ...{ minutes: 0, message: 'All parts', parents: [] },
    changed: contents.map((text, part) => [`src/part-${part}.txt`, `${text.join('\n')}\n`]),
  });
  const marks = new Map();
  for (const pull of pulls) {
    const [state, name] = [stateOf(pull), pathOf(pull)];
    const part = [...contents[pull % files]];
    part[lineOf(pull) - 1] = `Line ${lineOf(pull)} as number ${pull} has it`;
    const changed = [[name, `${part.join('\n')}\n`]];
    const base = main;
    const head = add(`refs/pull/${pull}/head`, {
      ...{ minutes: pull, message: `Number ${pull}`, parents: [base], changed },
    });
    if (state === 'open') stream.push(`reset refs/heads/change-${pull}\nfrom :${head}\n`);
    if (state === 'merged') {
      const message = `Merge number ${pull}`;
      main = add('refs/heads/main', { minutes: pull + 60, message, parents: [base, head], changed });
      contents[pull % files] = part;
    }
    marks.set(pull, { base, head, merge: state === 'merged' ? main : undefined });
  }
  const git = (args, input) =>
    execFileSync('git', args, { input, env: environment, stdio: ['pipe', 'pipe', 'inherit'] });
  git(['init', '--quiet', '--bare', '--initial-branch=main', path]);
  git(['-C', path, 'fast-import', '--quiet', `--export-marks=${marksFile}`], stream.join(''));
  git(['-C', path, 'pack-refs', '--all']);
  const shas = new Map(
    readFileSync(marksFile, 'utf8')
      .trim()
      .split('\n')
      .map((one) => one.slice(1).split(' ')),
  );
  const shaOf = (one) => shas.get(String(one)) ?? null;
  return new Map(
    [...marks].map(([pull, { base, head, merge }]) => [
      pull,
      { base: shaOf(base), head: shaOf(head), merge: shaOf(merge) },
    ]),
  );
}

/**
 * A project at forgea: every third number is a pull request. Of the comments each pull request has three on its lines and a
 * review; all others are on issues and pull requests.
 * @param folder where its repository is written
 * @returns what the forge has, and how many of each item an import brings over
 */
export function forgeProject(folder, { issues, pulls, comments }) {
  const total = issues + pulls;
  const isPull = (number) => number % 3 === 0 && number / 3 <= pulls;
  const pullNumbers = list(total, (number) => number).filter(isPull);
  const shas = writeRepository(folder, pullNumbers);
  const shared = (number, state) => ({
    ...{ number, title: `Number ${number} does not do what it should`, body: words.repeat(1 + (number % 10)) },
    ...{ state: state === 'open' ? 'open' : 'closed', closed_at: state === 'open' ? null : at(number + 60) },
    ...{ user: person(number), assignees: [person(number + 1)], locked: false, ...dated(number) },
    ...{ labels: [{ name: `label-${number % labels}` }], milestone: { number: 1 + (number % milestones) } },
  });
  const stateOfIssue = (number) => (number % 2 === 0 ? 'closed' : 'open');
  const issue = (number) =>
    isPull(number)
      ? { ...shared(number, stateOf(number)), html_url: `${address}/pull/${number}`, pull_request: {} }
      : { ...shared(number, stateOfIssue(number)), html_url: `${address}/issues/${number}` };
  const repo = { full_name: 'octo/things' };
  const user = { login: 'octo' };
  const pull = (number) => {
    const { base, head, merge } = shas.get(number);
    return {
      ...shared(number, stateOf(number)),
      ...{ draft: number % 11 === 0, requested_reviewers: [person(number + 2)] },
      ...{ merge_commit_sha: merge, merged_at: merge === null ? null : at(number + 60) },
      head: { ref: `change-${number}`, sha: head, user, repo },
      base: { ref: 'main', sha: base, user, repo },
    };
  };
  const conversation = comments - pulls * (diffNotes + 1);
  const comment = (id) => {
    const number = 1 + ((id * 7) % total);
    return {
      ...{ id, body: words.repeat(1 + (id % 5)), user: person(id), ...dated(total + id) },
      html_url: `${address}/${isPull(number) ? 'pull' : 'issues'}/${number}#issuecomment-${id}`,
      issue_url: `https://api.forge.example/repos/octo/things/issues/${number}`,
    };
  };
  const diffNote = (id) => {
    const number = pullNumbers[Math.floor((id - 1) / diffNotes)];
    const [line, sha] = [lineOf(number), shas.get(number).head];
    return {
      ...{ id, pull_request_url: `https://api.forge.example/repos/octo/things/pulls/${number}` },
      ...{ in_reply_to_id: id % diffNotes === 0 ? id - diffNotes + 1 : null, path: pathOf(number) },
      ...{ commit_id: sha, original_commit_id: sha, line, original_line: line, side: 'RIGHT' },
      diff_hunk: `@@ -${line} +${line} @@\n+Line ${line} as number ${number} has it`,
      ...{ body: words.repeat(1 + (id % 3)), user: person(id), ...dated(total + id) },
    };
  };
  const states = ['APPROVED', 'COMMENTED', 'CHANGES_REQUESTED'];
  const review = (number) => ({
    ...{ id: number, user: person(number + 3), body: words, state: states[number % 3], submitted_at: at(number + 30) },
  });
  const closed = list(total, (number) => number).filter((number) => issue(number).state === 'closed');
  const event = (number) => ({
    ...{ id: number, event: isPull(number) && stateOf(number) === 'merged' ? 'merged' : 'closed' },
    ...{ actor: person(number), created_at: at(number + 60) },
    issue: { number, ...(isPull(number) ? { pull_request: {} } : {}) },
  });
  return {
    lists: {
      labels: list(labels, (id) => ({ id, name: `label-${id - 1}`, color: 'd9534f', description: null })),
      milestones: list(milestones, (number) => ({
        ...{ number, title: `v${number}`, description: null, state: 'open', due_on: null, ...dated(number) },
      })),
      issues: list(total, issue),
      pulls: pullNumbers.map(pull),
      'issues/comments': list(conversation, comment),
      'pulls/comments': list(pulls * diffNotes, diffNote),
      // The newest come first.
      'issues/events': closed.map(event).reverse(),
      ...Object.fromEntries(pullNumbers.map((number) => [`pulls/${number}/reviews`, [review(number)]])),
    },
    users: Object.fromEntries(list(people, (id) => [person(id).login, { ...person(id), email: null }])),
    expected: {
      ...{ label: labels, milestone: milestones, issue: total - pullNumbers.length, pull_request: pullNumbers.length },
      ...{ note: conversation, diff_note: pulls * diffNotes, pull_request_review: pulls, issue_event: closed.length },
    },
  };
}
