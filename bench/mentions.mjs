import { setTimeout as sleep } from 'node:timers/promises';
import { seedPeople, seedProject } from './seed.mjs';
import { openIssue } from './seed-talk.mjs';

const members = 1_000;
const mentioned = 100;
const rounds = 12;
const warmUp = 4;
const atOnce = 8;
const answerTargetMs = 100;
const todosTargetMs = 1_000;
const timeoutMs = 30_000;
const pauseMs = 200;

/** Members of a project by the API: their ids and usernames. */
async function addMembers({ api }, project) {
  const people = [];
  const numbers = Array.from({ length: members }, (_, at) => at + 1);
  const make = async () => {
    for (let at = numbers.shift(); at !== undefined; at = numbers.shift()) {
      const username = `mentions-member-${at}`;
      const { body } = await api('POST', '/users', {
        email: `${username}@example.com`,
        username,
        name: `Member Number ${at}`,
        force_random_password: true,
      });
      people.push({ id: body.id, username });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, make));
  for (let at = 0; at < people.length; at += mentioned) {
    const ids = people.slice(at, at + mentioned).map(({ id }) => id);
    await api('POST', `/projects/${project.id}/members`, { user_id: ids.join(','), access_level: 30 });
  }
  return people;
}

/** A note that mentions 100 of a project's 1,000 members: until it is answered, and from the answer until all have their to-do. */
export async function mentions(installation, report) {
  const { api } = installation;
  const people = await seedPeople(installation, 'mentions');
  const project = await seedProject(installation, { path: 'crowded', people });
  const since = performance.now();
  const everyone = await addMembers(installation, project);
  report.note(`mentions: ${members} members made in ${((performance.now() - since) / 1_000).toFixed(1)} s`);
  const issue = await openIssue(installation, project, { token: people.token });
  const witness = everyone[0];
  const { body: access } = await api('POST', `/users/${witness.id}/personal_access_tokens`, {
    name: 'bench',
    scopes: ['api'],
  });
  const db = await installation.connect('switchyard_collaboration');
  const answered = [];
  const there = [];
  try {
    for (let round = 0; round < warmUp + rounds; round += 1) {
      // The witness, and 99 others each time.
      const called = Array.from(
        { length: mentioned - 1 },
        (_, at) => everyone[1 + ((round * 61 + at * 7) % (members - 1))],
      );
      const names = [witness, ...new Set(called)].map(({ username }) => `@${username}`);
      const sentAt = performance.now();
      const { body: note } = await api(
        'POST',
        `/projects/${project.id}/issues/${issue.iid}/notes`,
        { body: `Round ${round}: ${names.join(' ')}, please have a look.` },
        { token: people.token },
      );
      const replied = performance.now();
      for (let count = 0; count < names.length; ) {
        if (performance.now() - replied > timeoutMs)
          throw new Error(`${count} to-dos of ${names.length} after ${timeoutMs} ms`);
        // In the database: polling the API would slow down what is measured.
        const { rows } = await db.query('select count(*)::int as count from todos where note_id = $1', [note.id]);
        count = rows[0].count;
        if (count < names.length) await sleep(5);
      }
      const found = performance.now();
      const { body: todos } = await api('GET', '/todos?per_page=1', undefined, { token: access.token });
      if (!todos[0]?.target_url.endsWith(`#note_${note.id}`)) throw new Error('the newest to-do is another');
      if (round >= warmUp) {
        answered.push(replied - sentAt);
        there.push(found - replied);
      }
      await sleep(pauseMs);
    }
  } finally {
    await db.end();
  }
  const unit = 'ms';
  report.figure(`mentions: a note with ${mentioned} of ${members} members answered`, answered, {
    unit,
    target: answerTargetMs,
  });
  report.figure('mentions: the slowest of these answers', [Math.max(...answered)], { unit });
  report.figure('mentions: from the answer to the last to-do', there, { unit, target: todosTargetMs });
  report.figure('mentions: the slowest of these', [Math.max(...there)], { unit });
}
