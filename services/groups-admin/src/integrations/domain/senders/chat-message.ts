import { actorOf, type ChangeBody, excerpt, line, refChange, refOf, type SentChange } from './change-body';

/** A piece of a sentence: a text, or a text that leads to an address. */
export type Piece = string | { readonly text: string; readonly url: string };

/** What a chat shows of a change. */
export interface ChatMessage {
  /** What happened, in one sentence. */
  readonly sentence: readonly Piece[];
  /** Further lines, such as commits; at most `maxLines`. */
  readonly lines: readonly (readonly Piece[])[];
  /** The start of a text that somebody wrote; blank for none. */
  readonly quote: string;
  readonly mood: 'good' | 'bad' | 'neutral';
  /** The address of what it is about. */
  readonly url: string;
  /** Messages about one thing have the same. */
  readonly thread: string;
  readonly avatarUrl: string;
}

/** Commits and jobs that one message names. */
const maxLines = 10;

const link = (text: string, url: string): Piece => (url === '' ? text : { text, url });
const webUrl = (body: ChangeBody): string => body.text('project.web_url');
const projectLink = (body: ChangeBody): Piece =>
  link(line(body.text('project.path_with_namespace') || body.text('project.name')), webUrl(body));

type Told = Pick<ChatMessage, 'sentence' | 'url'> & Partial<Pick<ChatMessage, 'lines' | 'quote' | 'mood'>>;

function commitLine(commit: ChangeBody): Piece[] {
  const sha = commit.text('id').slice(0, 8);
  const title = line(commit.text('title') || commit.text('message'));
  return [link(sha, commit.text('url')), `: ${title} - ${line(commit.text('author.name'), 100)}`];
}

function ofPush(change: SentChange): Told {
  const { body, kind } = change;
  const what = kind === 'tag_push' ? 'tag' : 'branch';
  const ref = refOf(change);
  const there = refChange(change);
  const page = `${webUrl(body)}/-/${kind === 'tag_push' ? 'tags' : 'commits'}/${encodeURIComponent(ref)}`;
  const who = actorOf(change);
  if (there === 'removed')
    return { sentence: [`${who} removed ${what} ${line(ref)} from `, projectLink(body)], url: webUrl(body) };
  const name = link(line(ref), page);
  if (there === 'created' || kind === 'tag_push')
    return {
      sentence: [`${who} pushed ${there === 'created' ? 'new ' : ''}${what} `, name, ' to ', projectLink(body)],
      url: page,
    };
  const compare = `${webUrl(body)}/-/compare/${body.text('before')}...${body.text('after')}`;
  return {
    sentence: [
      `${who} pushed to ${what} `,
      name,
      ' of ',
      projectLink(body),
      ' (',
      link('Compare changes', compare),
      ')',
    ],
    lines: body.list('commits').slice(-maxLines).map(commitLine),
    url: compare,
  };
}

const pastTenses: Readonly<Record<string, string>> = {
  open: 'opened',
  close: 'closed',
  reopen: 'reopened',
  merge: 'merged',
  approved: 'approved',
  approval: 'approved',
  unapproved: 'unapproved',
  unapproval: 'unapproved',
};

function ofIssuable(change: SentChange, noun: string, sign: string): Told | undefined {
  const { body } = change;
  const action = body.text('object_attributes.action') || change.action;
  const past = pastTenses[action];
  if (past === undefined) return undefined;
  const url = body.text('object_attributes.url');
  const name = `${sign}${body.text('object_attributes.iid')} ${line(body.text('object_attributes.title'))}`;
  return {
    sentence: [`${noun} `, link(name, url), ` was ${past} by ${actorOf(change)} in `, projectLink(body)],
    quote: action === 'open' ? body.text('object_attributes.description') : '',
    url,
  };
}

const isIncident = ({ body }: SentChange): boolean =>
  [body.text('object_attributes.type'), body.text('object_attributes.issue_type')].some(
    (type) => type.toLowerCase() === 'incident',
  );

/** Whether a change is about an incident. */
export const isOfIncident = (change: SentChange): boolean => change.kind === 'issue' && isIncident(change);

const notedOn: Readonly<Record<string, readonly [noun: string, part: string, sign: string]>> = {
  MergeRequest: ['merge request', 'merge_request', '!'],
  Issue: ['issue', 'issue', '#'],
  Commit: ['commit', 'commit', ''],
  Snippet: ['snippet', 'snippet', '$'],
};

function ofNote(change: SentChange): Told | undefined {
  const { body } = change;
  if ((body.text('object_attributes.action') || change.action) === 'update') return undefined;
  const [noun = 'a thread', part = '', sign = ''] = notedOn[body.text('object_attributes.noteable_type')] ?? [];
  const number =
    part === 'commit' ? body.text('commit.id').slice(0, 8) : body.text(`${part}.iid`) || body.text(`${part}.id`);
  const title = line(body.text(`${part}.title`) || body.text(`${part}.message`));
  const url = body.text('object_attributes.url');
  return {
    sentence: [
      `${actorOf(change)} `,
      link(`commented on ${noun} ${sign}${number}`, url),
      ' in ',
      projectLink(body),
      `: ${title}`,
    ],
    quote: body.text('object_attributes.note'),
    url,
  };
}

/** A duration as hours, minutes and seconds. */
function clock(seconds: number): string {
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  return `${seconds >= 3_600 ? `${two(seconds / 3_600)}:` : ''}${two((seconds % 3_600) / 60)}:${two(seconds % 60)}`;
}

/** How a pipeline ended; undefined while it has not, or was canceled. */
export function pipelineEnd({ kind, body }: SentChange): 'success' | 'failed' | undefined {
  const status = body.text('object_attributes.status');
  return kind === 'pipeline' && (status === 'success' || status === 'failed') ? status : undefined;
}

function ofPipeline(change: SentChange): Told | undefined {
  const { body } = change;
  const end = pipelineEnd(change);
  if (end === undefined) return undefined;
  const id = body.text('object_attributes.id');
  const url = body.text('object_attributes.url') || `${webUrl(body)}/-/pipelines/${id}`;
  const ref = refOf(change);
  const what = body.flag('object_attributes.tag') ? 'tag' : 'branch';
  const page = `${webUrl(body)}/-/${what === 'tag' ? 'tags' : 'commits'}/${encodeURIComponent(ref)}`;
  const seconds = Number(body.text('object_attributes.duration'));
  const failed = body
    .list('builds')
    .filter((build) => build.text('status') === 'failed' && !build.flag('allow_failure'));
  return {
    sentence: [
      'Pipeline ',
      link(`#${id}`, url),
      ` of ${what} `,
      link(line(ref), page),
      ` by ${actorOf(change)} ${end === 'success' ? 'has passed' : 'has failed'}${seconds > 0 ? ` in ${clock(seconds)}` : ''} in `,
      projectLink(body),
    ],
    lines:
      end === 'failed' && failed.length > 0
        ? [
            [
              `Failed: ${failed
                .slice(0, maxLines)
                .map((build) => line(build.text('name'), 100))
                .join(', ')}`,
            ],
          ]
        : [],
    mood: end === 'success' ? 'good' : 'bad',
    url,
  };
}

const deployed: Readonly<Record<string, string>> = {
  running: 'is under way',
  success: 'succeeded',
  failed: 'failed',
  canceled: 'was canceled',
};

function ofDeployment(change: SentChange): Told | undefined {
  const { body } = change;
  const status = body.text('status');
  const fate = deployed[status];
  if (fate === undefined) return undefined;
  const url = body.text('deployable_url') || webUrl(body);
  const commit = body.text('short_sha');
  return {
    sentence: [
      'Deployment of ',
      projectLink(body),
      ' to ',
      link(line(body.text('environment')), body.text('environment_external_url') || url),
      ` by ${actorOf(change)} ${fate}`,
    ],
    lines: commit === '' ? [] : [[link(commit, body.text('commit_url')), `: ${line(body.text('commit_title'))}`]],
    mood: status === 'success' ? 'good' : status === 'failed' ? 'bad' : 'neutral',
    url,
  };
}

function ofAlert({ action, body }: SentChange): Told | undefined {
  if (!['trigger', 'acknowledge', 'resolve', 'ignore'].includes(action)) return undefined;
  const url = body.text('object_attributes.url');
  const facts = ['severity', 'status'].flatMap((name) => body.text(`object_attributes.${name}`) || []).join(', ');
  const title = line(body.text('object_attributes.title'));
  return {
    sentence: ['Alert ', link(title, url), ' in ', projectLink(body), facts === '' ? '' : ` (${facts})`],
    mood: 'bad',
    url,
  };
}

function told(change: SentChange): Told | undefined {
  switch (change.kind) {
    case 'push':
    case 'tag_push':
      return ofPush(change);
    case 'issue':
      return ofIssuable(change, isIncident(change) ? 'Incident' : 'Issue', '#');
    case 'merge_request':
      return ofIssuable(change, 'Merge request', '!');
    case 'note':
      return ofNote(change);
    case 'pipeline':
      return ofPipeline(change);
    case 'deployment':
      return ofDeployment(change);
    case 'alert':
      return ofAlert(change);
    default:
      return undefined;
  }
}

/** What a chat shows of a change; undefined where chats are not notified, such as of an edited title. */
export function chatMessage(change: SentChange): ChatMessage | undefined {
  const found = told(change);
  if (found === undefined) return undefined;
  const { body, kind } = change;
  return {
    lines: [],
    mood: 'neutral',
    ...found,
    quote: excerpt(found.quote ?? ''),
    thread: [
      body.text('project.id'),
      kind === 'note' ? body.text('object_attributes.noteable_id') || body.text('object_attributes.id') : kind,
      body.text('object_attributes.iid') || refOf(change),
    ].join(' '),
    avatarUrl: body.text('user.avatar_url') || body.text('user_avatar'),
  };
}
