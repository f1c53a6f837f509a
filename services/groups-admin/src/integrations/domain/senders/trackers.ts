import type { FindKeys } from '@switchyard/patterns';
import { actorOf, type ChangeBody, line, refOf, type SentChange } from './change-body';
import { basic, jsonRequest, namesIn, type OutgoingRequest, type SenderSettings } from './outgoing';

/** Tasks, stories and issues that one change comments on. */
const maxMentions = 20;

const unique = <T>(values: readonly T[], keyOf: (value: T) => string): T[] => [
  ...new Map(values.map((value) => [keyOf(value), value])).values(),
];

/** Whether the branch of a push is among those that the integration names; all where it names none. */
export function isOfBranch(settings: SenderSettings, change: SentChange): boolean {
  const branches = namesIn(settings.text('restrict_to_branch'));
  return branches.length === 0 || change.kind !== 'push' || branches.includes(refOf(change));
}

const closing = /\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing)|complet(?:e[sd]?|ing))[\s:]*$/i;

/** Asana: a comment on each task that a commit names by its address or `#id`, and the end of those that it closes. */
export function asana(settings: SenderSettings, change: SentChange): OutgoingRequest[] {
  if (change.kind !== 'push') return [];
  const { body } = change;
  const where = `${line(refOf(change))} of ${line(body.text('project.path_with_namespace'))}`;
  const mentions = body.list('commits').flatMap((commit) => {
    const message = commit.text('message').slice(0, 10_000);
    return [...message.matchAll(/(?:https:\/\/app\.asana\.com\/\d+\/\w+\/(\d{1,25})|#(\d{1,25}))/g)].map((match) => ({
      task: match[1] ?? match[2] ?? '',
      isClosed: closing.test(message.slice(Math.max(0, match.index - 30), match.index)),
      text: `${actorOf(change)} pushed to branch ${where} (${commit.text('url')}): ${line(commit.text('message'), 500)}`,
      commit: commit.text('id'),
    }));
  });
  const headers = { Authorization: `Bearer ${settings.text('api_key')}` };
  return unique(mentions, ({ task, commit }) => `${task} ${commit}`)
    .slice(0, maxMentions)
    .flatMap(({ task, isClosed, text }) => [
      jsonRequest(`https://app.asana.com/api/1.0/tasks/${task}/stories`, { data: { text } }, { headers }),
      ...(isClosed
        ? [
            jsonRequest(
              `https://app.asana.com/api/1.0/tasks/${task}`,
              { data: { completed: true } },
              { headers, method: 'PUT' },
            ),
          ]
        : []),
    ]);
}

/** Pivotal Tracker: each pushed commit; the tracker finds the stories that it names. */
export const pivotalTracker = (settings: SenderSettings, change: SentChange): OutgoingRequest[] =>
  change.kind === 'push'
    ? change.body
        .list('commits')
        .slice(-maxMentions)
        .map((commit) =>
          jsonRequest(
            'https://www.pivotaltracker.com/services/v5/source_commits',
            {
              source_commit: {
                commit_id: commit.text('id'),
                author: commit.text('author.name'),
                url: commit.text('url'),
                message: commit.text('message').slice(0, 10_000),
              },
            },
            { headers: { 'X-TrackerToken': settings.text('token') }, secretHeaders: ['X-TrackerToken'] },
          ),
        )
    : [];

/** Finds the keys of issues in a text, in bounded time, and whether a word before them closes them. */
export type MentionFinder = (text: string) => readonly { readonly key: string; readonly isClosed: boolean }[];

/** Keys as Jira makes them: `ABC-12`. */
const standardKey = /\b[A-Z][A-Z0-9_]{1,30}-\d{1,12}\b/g;

/** @param find finds the keys, where the integration has an expression or a prefix of its own */
export const mentionFinder =
  (find: FindKeys | undefined): MentionFinder =>
  (text) => {
    const start = text.slice(0, 10_000);
    const found = find?.(start) ?? [...start.matchAll(standardKey)].map(({ 0: key, index }) => ({ key, start: index }));
    return found.map(({ key, start: at }) => ({ key, isClosed: closing.test(start.slice(Math.max(0, at - 30), at)) }));
  };

interface Mention {
  readonly key: string;
  readonly isClosed: boolean;
  readonly comment: string;
}

function ofCommit(change: SentChange, commit: ChangeBody, find: MentionFinder): Mention[] {
  const { body } = change;
  const isDefault = refOf(change) === body.text('project.default_branch');
  const project = line(body.text('project.path_with_namespace'));
  const url = commit.text('url');
  const comment = `[${line(commit.text('author.name') || actorOf(change), 100)}|${body.text('project.web_url')}] mentioned this issue in [a commit of ${project}|${url}] on branch ${line(refOf(change))}:\n{quote}${line(commit.text('title') || commit.text('message'))}{quote}`;
  return find(commit.text('message')).map(({ key, isClosed }) => ({ key, isClosed: isClosed && isDefault, comment }));
}

function ofMergeRequest(change: SentChange, find: MentionFinder): Mention[] {
  const { body } = change;
  const attribute = (name: string): string => body.text(`object_attributes.${name}`);
  const action = attribute('action') || change.action;
  if (!['open', 'reopen', 'merge'].includes(action)) return [];
  const project = line(body.text('project.path_with_namespace'));
  const isMerged = action === 'merge' && attribute('target_branch') === body.text('project.default_branch');
  const comment = `[${actorOf(change)}|${body.text('project.web_url')}] mentioned this issue in [a merge request of ${project}|${attribute('url')}] on branch ${line(attribute('source_branch'))}:\n{quote}${line(attribute('title'))}{quote}`;
  return find(`${attribute('title')}\n${attribute('description')}`).map(({ key, isClosed }) => ({
    key,
    isClosed: isClosed && isMerged,
    comment,
  }));
}

/**
 * Jira: a comment on each issue that a commit or a merge request names, and its transitions where it is closed on the
 * default branch.
 */
export function jira(settings: SenderSettings, change: SentChange, find: MentionFinder): OutgoingRequest[] {
  const mentions =
    change.kind === 'push'
      ? change.body.list('commits').flatMap((commit) => ofCommit(change, commit, find))
      : ofMergeRequest(change, find);
  const base = (settings.text('api_url') || settings.text('url')).replace(/\/+$/, '');
  const headers =
    settings.number('jira_auth_type') === 1
      ? { Authorization: `Bearer ${settings.text('password')}` }
      : basic(settings.text('username'), settings.text('password'));
  const transitions = settings
    .text('jira_issue_transition_id')
    .split(/[,;]/)
    .map((id) => id.trim())
    .filter((id) => id !== '');
  const isCommented = settings.flag('comment_on_event_enabled');
  return unique(mentions, ({ key, comment }) => `${key} ${comment}`)
    .slice(0, maxMentions)
    .flatMap(({ key, isClosed, comment }) => {
      const issue = `${base}/rest/api/2/issue/${encodeURIComponent(key)}`;
      return [
        ...(isCommented ? [jsonRequest(`${issue}/comment`, { body: comment }, { headers })] : []),
        ...(isClosed
          ? transitions.map((id) => jsonRequest(`${issue}/transitions`, { transition: { id } }, { headers }))
          : []),
      ];
    });
}
