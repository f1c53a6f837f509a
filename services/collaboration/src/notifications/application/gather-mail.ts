import type { Database } from '@switchyard/database';
import { type TrackerLinks, usersByIds } from '@switchyard/directory';
import { projectMarkdownRenderer } from '@switchyard/markdown';
import type { GatheredMail, Made } from '../../mail';
import { addressFor, effectiveSetting, type StoredSetting } from '../../notification-settings';
import { placeName, type Subject } from '../domain/notification-event';
import { type Chapter, type Passage, writeMail } from '../domain/notification-mail';
import { sentenceOf, strongest } from '../domain/notification-text';
import type { EventPlace, GatheredPart } from '../domain/stored';
import { beginsThread, digestThread, listIdOf, referenceOf as nameOf, rootOf, threadOf, urlOf } from '../domain/thread';
import type { AudienceStore, PartStore } from './notification.ports';
import type { UnsubscribeLink } from './unsubscribe-link';
import type { Unsubscription } from './unsubscribe-token';

/** Events of one mail that are shown. */
const maxParts = 100;

/** What making a mail needs. */
export interface Gathering {
  readonly db: Database;
  readonly parts: PartStore;
  readonly audience: AudienceStore;
  readonly linkTo: (ended: Unsubscription) => UnsubscribeLink;
  readonly trackerLinks: TrackerLinks;
  readonly externalUrl: string;
}

const things = {
  Issue: 'Issue',
  MergeRequest: 'Merge-Request',
  Commit: '',
  Snippet: 'Snippet',
  Pipeline: 'Pipeline',
  Project: '',
  Epic: 'Epic',
};

/** Actions whose text stands in their sentence already, or whose subject is described by what others wrote. */
const withText = new Set(['new_issue', 'new_merge_request', 'new_release', 'new_epic']);

interface Names {
  readonly users: ReadonlyMap<number, { readonly name: string }>;
  /** By `placeName`. */
  readonly places: ReadonlyMap<string, EventPlace>;
}

const pathOf = (subject: Subject, { places }: Pick<Names, 'places'>): string =>
  places.get(placeName(subject))?.path ?? '';

/** Address of a project or group. */
const placeUrl = ({ groupId }: Subject, path: string, externalUrl: string): string =>
  `${externalUrl.replace(/\/+$/, '')}/${groupId === undefined ? '' : 'groups/'}${path}`;

function passageOf(part: GatheredPart, names: Names, externalUrl: string): Passage {
  const { action, facts, subject, actorId, note } = part;
  const path = pathOf(subject, names);
  const told = {
    action,
    facts,
    reference: nameOf(subject, facts.sha) || path,
    actor: names.users.get(actorId)?.name ?? '',
    names: new Map([...names.users].map(([id, { name }]) => [id, name])),
    path,
  };
  const url = urlOf(subject, placeUrl(subject, path, externalUrl), facts.sha);
  return {
    sentence: sentenceOf(told),
    text: note ?? (withText.has(action) ? (facts.text ?? '') : ''),
    url: facts.noteId === undefined ? url : `${url}#note_${facts.noteId}`,
  };
}

function chaptersOf(parts: readonly GatheredPart[], names: Names, externalUrl: string): Chapter[] {
  const found = new Map<string, Chapter & { passages: Passage[] }>();
  for (const part of parts) {
    const { subject, facts } = part;
    const thread = threadOf(part);
    const chapter = found.get(thread) ?? {
      subject,
      reference: nameOf(subject, facts.sha),
      title: subject.type === 'Pipeline' ? `Pipeline for ${facts.ref ?? ''}` : facts.title,
      path: pathOf(subject, names),
      passages: [],
    };
    chapter.passages.push(passageOf(part, names, externalUrl));
    found.set(thread, chapter);
  }
  return [...found.values()];
}

const everywhere = { projectId: 0, groupIds: [] };

/** Where an event happened, as settings know it. @param loud places whose mail is on */
const settingPlace = ({ subject }: GatheredPart, loud: ReadonlyMap<string, EventPlace>) => ({
  projectId: subject.projectId,
  groupIds: loud.get(placeName(subject))?.groupIds ?? [],
});

/** Whether a user still wants mail about an event: not where they switched it off since it was decided. */
const isWanted = (
  part: GatheredPart,
  loud: ReadonlyMap<string, EventPlace>,
  settings: readonly StoredSetting[],
): boolean =>
  loud.has(placeName(part.subject)) &&
  (part.reason === 'subscribed' || effectiveSetting(settings, settingPlace(part, loud)).level !== 'disabled');

/** Projects whose texts the chapters show. */
const shownIn = (chapters: readonly Chapter[]): number[] =>
  chapters
    .filter(({ passages, subject }) => subject.projectId > 0 && passages.some(({ text }) => text !== ''))
    .map(({ subject }) => subject.projectId);

/** Headers that say which project or group a mail is about. */
function placeHeaders({ projectId, groupId }: Subject, path: string, domain: string): Record<string, string> {
  const kind = groupId === undefined ? 'Project' : 'Group';
  const id = groupId ?? projectId;
  return {
    'List-Id': listIdOf({ kind, id, path }, domain),
    [`X-Switchyard-${kind}-Id`]: String(id),
    [`X-Switchyard-${kind}-Path`]: path,
  };
}

/**
 * Makes a mail of what it gathered: of those events that its recipient may read now, and has not switched off in the
 * meantime; at their address of now.
 */
export const gatherMail =
  ({ db, parts: store, audience, linkTo, trackerLinks, externalUrl }: Gathering) =>
  async (mail: GatheredMail, domain: string): Promise<Made> => {
    const { userId } = mail;
    const { parts: all, total } = await store.partsOf(db, mail.id, maxParts);
    const [recipient] = await audience.recipients(db, [userId]);
    if (recipient?.active !== true || recipient.bot) return { dropped: 'inactive' };
    const readable = await store.readable(db, userId, all);
    if (readable.length === 0) return { dropped: 'access' };
    const places = await audience.places(
      db,
      readable.map(({ subject }) => subject),
    );
    const loud = new Map([...places].filter(([, { silencedBy }]) => silencedBy === undefined));
    if (loud.size === 0) return { dropped: 'emails_disabled' };
    const settled = {
      projectIds: readable.map(({ subject: { projectId } }) => projectId),
      groupIds: [...loud.values()].flatMap(({ groupIds }) => groupIds),
    };
    const settings = await audience.settings(db, settled, [userId]);
    if (effectiveSetting(settings, everywhere).digest === 'stopped') return { dropped: 'stopped' };
    const parts = readable.filter((part) => isWanted(part, loud, settings));
    const [first] = parts;
    if (first === undefined) return { dropped: 'level' };
    const isDigest = mail.thread === digestThread;
    const where = isDigest ? everywhere : settingPlace(first, loud);
    const address = addressFor(recipient, effectiveSetting(settings, where).email);
    if (address === '') return { dropped: 'no_address' };
    const people = parts.flatMap(({ actorId, facts }) => [
      actorId,
      ...(facts.assigned ?? []),
      ...(facts.unassigned ?? []),
      ...(facts.reviewRequested ?? []),
      ...(facts.reviewRemoved ?? []),
    ]);
    const users = await usersByIds(db, [...people, userId]);
    const names = { users, places };
    const begins = !isDigest && parts.some(beginsThread);
    const ended = isDigest ? ({ type: 'Digest', id: 0, iid: 0, projectId: 0 } as const) : first.subject;
    const unsubscribe = linkTo({ userId, ...ended });
    const reason = strongest(parts.map((part) => part.reason));
    const chapters = chaptersOf(parts, names, externalUrl);
    const markdown = projectMarkdownRenderer(await trackerLinks(shownIn(chapters)), externalUrl);
    const footer = { reason, unsubscribe: unsubscribe.url, isCut: total > all.length };
    const written = writeMail(chapters, footer, { answers: !begins, markdown });
    const thing = things[first.subject.type];
    const root = rootOf(mail.thread);
    return {
      mail: {
        id: mail.id,
        messageId: begins ? root : mail.messageId,
        ...(begins || isDigest ? {} : { answers: root }),
        to: { name: users.get(userId)?.name ?? '', address },
        subject: written.subject,
        body: written.text,
        html: written.html,
        headers: {
          'X-Switchyard-Reason': isDigest ? 'digest' : reason,
          ...unsubscribe.headers,
          ...(isDigest ? {} : placeHeaders(first.subject, pathOf(first.subject, names), domain)),
          ...(isDigest || thing === ''
            ? {}
            : {
                [`X-Switchyard-${thing}-Id`]: String(first.subject.id),
                ...(first.subject.iid === 0 ? {} : { [`X-Switchyard-${thing}-Iid`]: String(first.subject.iid) }),
              }),
        },
      },
    };
  };
