import { recipientsOf } from '../integration-problems';
import { type ChangeBody, line, refChange, refOf, type SentChange } from './change-body';
import { chatMessage, pipelineEnd } from './chat-message';
import { whole, writings } from './chat-text';
import type { OutgoingMail, SenderSettings } from './outgoing';

/** Files of a commit that a mail lists, and characters of the whole mail. */
const [maxFiles, maxText] = [50, 64_000];

/** The files that a commit changed. */
const filesOf = (commit: ChangeBody): string[] =>
  Object.entries({ added: 'A', modified: 'M', removed: 'D' })
    .flatMap(([list, sign]) => commit.texts(list).map((file) => `  ${sign} ${line(file)}`))
    .slice(0, maxFiles);

/** The mail of a push. */
export function emailsOnPush(settings: SenderSettings, change: SentChange): OutgoingMail | undefined {
  const message = chatMessage(change);
  if (message === undefined || (change.kind !== 'push' && change.kind !== 'tag_push')) return undefined;
  const { body } = change;
  const project = body.text('project.path_with_namespace');
  const ref = line(refOf(change));
  const commits = body.list('commits');
  const count = body.text('total_commits_count') || String(commits.length);
  const what = {
    created: 'new',
    removed: 'removed',
    changed: `${count} ${count === '1' ? 'commit' : 'commits'}`,
  };
  const withFiles = !settings.flag('disable_diffs');
  const described = commits.map((commit) =>
    [
      `${commit.text('id').slice(0, 8)} by ${line(commit.text('author.name'), 100)}`,
      commit.text('url'),
      '',
      commit.text('message').trim().slice(0, 4_000),
      ...(withFiles ? filesOf(commit) : []),
    ].join('\n'),
  );
  return {
    recipients: recipientsOf(settings.text('recipients')),
    subject: `[Git][${project}][${ref}] ${what[refChange(change)]}`,
    text: [whole({ ...message, lines: [], quote: '' }, writings.plain), ...described].join('\n\n').slice(0, maxText),
    thread: `push ${body.text('project.id')} ${ref}`,
  };
}

/** The mail of the end of a pipeline. */
export function pipelinesEmail(settings: SenderSettings, change: SentChange): OutgoingMail | undefined {
  const message = chatMessage(change);
  const end = pipelineEnd(change);
  if (message === undefined || end === undefined) return undefined;
  const { body } = change;
  const title = line(body.text('commit.title') || body.text('commit.message'));
  return {
    recipients: recipientsOf(settings.text('recipients')),
    subject: `${body.text('project.path_with_namespace')} | ${end === 'success' ? 'Successful' : 'Failed'} pipeline for ${line(refOf(change))} | ${body.text('object_attributes.sha').slice(0, 8)}`,
    text: [whole(message, writings.plain), title, message.url]
      .filter((part) => part !== '')
      .join('\n\n')
      .slice(0, maxText),
    thread: `pipelines ${body.text('project.id')} ${refOf(change)}`,
  };
}
