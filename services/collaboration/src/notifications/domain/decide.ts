import type { EventFlag } from '@switchyard/notification-settings';
import { addressFor, type EffectiveSetting, effectiveSetting, type StoredSetting } from '../../notification-settings';
import { type Audience, audiences } from './audience';
import type { NotificationEvent } from './notification-event';

/** Why a user gets a mail: what `X-Switchyard-Reason` says. */
export type Reason =
  | 'mentioned'
  | 'assigned'
  | 'unassigned'
  | 'review_requested'
  | 'review_removed'
  | 'approval_required'
  | 'author'
  | 'assignee'
  | 'reviewer'
  | 'participating'
  | 'own_pipeline'
  | 'member'
  | 'subscribed'
  | 'watching'
  | 'custom';

/** Who has to do with the subject of an event. */
export interface People {
  /** 0 for none. */
  readonly authorId: number;
  readonly assigneeIds: readonly number[];
  readonly reviewerIds: readonly number[];
  readonly participantIds: readonly number[];
  /** Users who chose to be notified of the subject. */
  readonly subscribedIds: readonly number[];
  /** Users who chose not to be. */
  readonly unsubscribedIds: readonly number[];
  /** Users whom the text of the event mentions. */
  readonly mentionedIds: readonly number[];
  /** Members of the project; read for events that reach them. */
  readonly memberIds: readonly number[];
}

/** A user as far as mail depends on it. */
export interface Recipient {
  readonly id: number;
  readonly active: boolean;
  readonly bot: boolean;
  /** Primary address; empty for none. */
  readonly email: string;
  readonly confirmed: readonly string[];
}

/** What decisions rest on. */
export interface DecisionFacts {
  readonly event: NotificationEvent;
  readonly people: People;
  /** Groups above the project, or the group and those above it, from the root down. */
  readonly groupIds: readonly number[];
  /** Settings of all users that are asked about. */
  readonly settings: readonly StoredSetting[];
  readonly recipients: readonly Recipient[];
  /** Users who may read what the mail says, now. */
  readonly readers: ReadonlySet<number>;
  /** Path of the project or group whose mail is switched off; undefined: it is on. */
  readonly silencedBy: string | undefined;
}

/** What was decided for one user, and by which rule. */
export interface Decision {
  readonly userId: number;
  readonly outcome: 'mail' | 'digest' | 'none';
  /** See `LedgerRule`. */
  readonly rule: string;
  /** What the rule rests on. */
  readonly detail: string;
  /** Undefined where nothing is sent. */
  readonly reason: Reason | undefined;
}

/** Why the event concerns each user, strongest first; the order of this list is the order of the strength. */
function concerns({ event, people }: DecisionFacts, audience: Audience): ReadonlyMap<number, Reason> {
  const { facts } = event;
  const found = new Map<number, Reason>();
  const add = (reason: Reason, ids: readonly number[] = []): void => {
    for (const id of ids) if (id > 0 && !found.has(id)) found.set(id, reason);
  };
  add('mentioned', people.mentionedIds);
  add('assigned', facts.assigned);
  add('review_requested', facts.reviewRequested);
  add('approval_required', facts.approvers);
  add('unassigned', facts.unassigned);
  add('review_removed', facts.reviewRemoved);
  add('participating', facts.concerned);
  if (audience.of === 'owner') add('own_pipeline', [facts.ownerId ?? 0]);
  if (audience.of === 'members') add('member', people.memberIds);
  if (audience.participants) {
    add('author', [people.authorId]);
    add('assignee', people.assigneeIds);
    add('reviewer', people.reviewerIds);
    add('participating', people.participantIds);
  }
  return found;
}

type Wish = { readonly rule: string; readonly reason: Reason } | { readonly refusal: 'level' | 'flag' };

const ruleOf: Readonly<Partial<Record<Reason, string>>> = {
  mentioned: 'mention',
  own_pipeline: 'own_pipeline',
  member: 'membership',
};

/** Pipelines of programs have flags of their own, and no owner who reads mail (G-4.11-3). */
const flagFor = (flag: EventFlag | undefined, ofProgram: boolean): EventFlag | undefined =>
  ofProgram && flag?.endsWith('_pipeline') ? (`service_account_${flag}` as EventFlag) : flag;

/** What a level says of an event (api.md section 2). */
function byLevel(
  setting: EffectiveSetting,
  concern: Reason | undefined,
  audience: Audience,
  flag: EventFlag | undefined,
): Wish {
  const chosen = flag !== undefined && setting.isOn(flag);
  const concerned: Wish =
    concern === undefined ? { refusal: 'level' } : { rule: ruleOf[concern] ?? 'participation', reason: concern };
  switch (setting.level) {
    case 'disabled':
      return { refusal: 'level' };
    case 'mention':
      return concern === 'mentioned' ? concerned : { refusal: 'level' };
    case 'participating':
      return audience.of === 'subject' || audience.watchers ? concerned : { refusal: 'level' };
    case 'watch':
      if (audience.of !== 'subject') return audience.watchers ? concerned : { refusal: 'level' };
      if (concern !== undefined) return concerned;
      return audience.watchers ? { rule: 'watch', reason: 'watching' } : { refusal: 'level' };
    case 'custom':
      // What is of its owner or of all members is for those who chose it.
      if (audience.of === 'subject' && concern !== undefined) return concerned;
      if (!chosen || (audience.of !== 'subject' && concern === undefined && !flag?.startsWith('service_account_')))
        return { refusal: flag === undefined ? 'level' : 'flag' };
      return { rule: 'custom_flag', reason: concern ?? 'custom' };
  }
}

const describe = ({ level, from }: EffectiveSetting): string => `${level} (${from})`;

function decideFor(facts: DecisionFacts, recipient: Recipient, context: DecisionContext): Decision {
  const { event, readers, silencedBy } = facts;
  const { audience, concern, setting, flag } = context;
  const detail = describe(setting);
  const refused = (rule: string, why = detail): Decision => ({
    userId: recipient.id,
    outcome: 'none',
    rule,
    detail: why,
    reason: undefined,
  });
  if (!recipient.active) return refused('inactive', '');
  if (!readers.has(recipient.id)) return refused('access', '');
  if (recipient.id === event.actorId && !setting.ownActivity) return refused('own_activity', '');
  const subscribes = reachesSubscribers(audience) && context.subscribed;
  const wish: Wish =
    subscribes && concern !== 'mentioned'
      ? { rule: 'subscription', reason: 'subscribed' }
      : byLevel(setting, concern, audience, flag);
  if ('refusal' in wish) return refused(wish.refusal, wish.refusal === 'flag' ? `${flag}, ${detail}` : detail);
  if (wish.reason !== 'mentioned' && context.unsubscribed) return refused('unsubscribed', '');
  if (setting.digest === 'stopped') return refused('stopped', '');
  if (silencedBy !== undefined) return refused('emails_disabled', silencedBy);
  if (addressFor(recipient, setting.email) === '') return refused('no_address', '');
  const outcome = setting.digest === 'daily' ? 'digest' : 'mail';
  return { userId: recipient.id, outcome, rule: wish.rule, detail, reason: wish.reason };
}

interface DecisionContext {
  readonly audience: Audience;
  readonly subscribed: boolean;
  readonly unsubscribed: boolean;
  readonly concern: Reason | undefined;
  readonly setting: EffectiveSetting;
  readonly flag: EventFlag | undefined;
}

/**
 * Decides for each user whether they get a mail about an event, and says by which rule. Pure: access, settings and
 * people are given. Programs (bots) get none and no line.
 */
export function decide(facts: DecisionFacts): Decision[] {
  const { event, groupIds, recipients, settings, people } = facts;
  const [subscribed, unsubscribed] = [new Set(people.subscribedIds), new Set(people.unsubscribedIds)];
  const audience = audiences[event.action];
  const found = concerns(facts, audience);
  const own = new Map<number, StoredSetting[]>();
  for (const row of settings) own.set(row.userId, [...(own.get(row.userId) ?? []), row]);
  const ownerIsProgram = recipients.some(({ id, bot }) => bot && id === event.facts.ownerId);
  const flag = flagFor(audience.flag, ownerIsProgram);
  const place = { projectId: event.subject.projectId, groupIds };
  return recipients
    .filter(({ bot }) => !bot)
    .map((recipient) =>
      decideFor(facts, recipient, {
        audience,
        subscribed: subscribed.has(recipient.id),
        unsubscribed: unsubscribed.has(recipient.id),
        concern: found.get(recipient.id),
        setting: effectiveSetting(own.get(recipient.id) ?? [], place),
        flag,
      }),
    );
}

/** Whether users who chose to be notified of a subject are: not of what names others alone. */
const reachesSubscribers = ({ of, participants, watchers }: Audience): boolean =>
  of === 'subject' && (participants || watchers);

/** Whether settings alone may bring users to an event: those who watch, and those who chose its flag. */
export const reachesByChoice = ({ of, watchers, flag }: Audience, ownerIsProgram: boolean): boolean =>
  of === 'subject' ? watchers || flag !== undefined : of === 'owner' && ownerIsProgram;

/** Everybody whom an event may concern, before settings are known. */
export function concernedIds(event: NotificationEvent, people: People): number[] {
  const { facts } = event;
  const audience = audiences[event.action];
  const taking = [people.authorId, ...people.assigneeIds, ...people.reviewerIds, ...people.participantIds];
  return [
    ...new Set([
      ...(audience.participants ? taking : []),
      ...(reachesSubscribers(audience) ? people.subscribedIds : []),
      ...people.mentionedIds,
      ...people.memberIds,
      ...(facts.assigned ?? []),
      ...(facts.unassigned ?? []),
      ...(facts.reviewRequested ?? []),
      ...(facts.reviewRemoved ?? []),
      ...(facts.approvers ?? []),
      ...(facts.concerned ?? []),
      facts.ownerId ?? 0,
      event.actorId,
    ]),
  ].filter((id) => id > 0);
}
