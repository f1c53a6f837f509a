import type { Reason } from './decide';
import type { Action, EventFacts } from './notification-event';

/** What happened, as a mail says it. */
export interface Told {
  readonly action: Action;
  /** Name of the actor; empty when no user caused it. */
  readonly actor: string;
  /** How the subject is named: `#3`, `!7`, `&2` … */
  readonly reference: string;
  readonly facts: EventFacts;
  /** Names of users by id. */
  readonly names: ReadonlyMap<number, string>;
  /** Full path of the project or group now. */
  readonly path: string;
}

const listed = (ids: readonly number[] | undefined, names: ReadonlyMap<number, string>): string =>
  (ids ?? []).map((id) => names.get(id) ?? 'a former user').join(', ');

const nobodyBut = (added: string, removed: string, role: string): string =>
  [
    ...(added === '' ? [] : [`${role} added: ${added}`]),
    ...(removed === '' ? [] : [`${role} removed: ${removed}`]),
  ].join('; ');

const people = ({ facts, names }: Told): string =>
  nobodyBut(listed(facts.assigned, names), listed(facts.unassigned, names), 'assignees');

const reviewers = ({ facts, names }: Told): string =>
  nobodyBut(listed(facts.reviewRequested, names), listed(facts.reviewRemoved, names), 'reviewers');

const did =
  (verb: string) =>
  ({ actor, reference }: Told): string =>
    actor === '' ? `${reference} was ${verb}.` : `${actor} ${verb} ${reference}.`;

const counted = (count: number): string => (count === 1 ? '1 commit' : `${count} commits`);

/** One sentence for each action. Texts of users are not in it. */
const sentences: Readonly<Record<Action, (told: Told) => string>> = {
  new_note: ({ actor, reference }) => `${actor} commented on ${reference}:`,
  mention_in_note: ({ actor, reference }) => `${actor} mentioned you in a comment on ${reference}:`,
  new_issue: ({ actor, reference }) => `${actor} opened ${reference}:`,
  mention_in_issue: ({ actor, reference }) => `${actor} mentioned you in ${reference}.`,
  reopen_issue: did('reopened'),
  close_issue: did('closed'),
  reassign_issue: (told) => `${did('reassigned')(told).slice(0, -1)} (${people(told)}).`,
  move_issue: (told) => `${did('moved')(told).slice(0, -1)} to another project.`,
  issue_due: ({ reference, facts }) => `${reference} is due on ${facts.dueDate ?? ''}.`,
  new_merge_request: ({ actor, reference }) => `${actor} opened ${reference}:`,
  mention_in_merge_request: ({ actor, reference }) => `${actor} mentioned you in ${reference}.`,
  push_to_merge_request: ({ actor, reference, facts }) =>
    `${actor === '' ? 'Somebody' : actor} pushed ${counted(facts.commits ?? 0)} to ${reference}.`,
  reopen_merge_request: did('reopened'),
  close_merge_request: did('closed'),
  reassign_merge_request: (told) => `${did('reassigned')(told).slice(0, -1)} (${people(told)}).`,
  change_reviewer_merge_request: (told) =>
    `${did('changed the reviewers of')(told).slice(0, -1)} (${reviewers(told)}).`,
  merge_merge_request: did('merged'),
  merge_when_pipeline_succeeds: ({ actor, reference }) =>
    `${actor} set ${reference} to be merged by itself when its checks pass.`,
  approve_merge_request: did('approved'),
  unapprove_merge_request: ({ actor, reference }) => `${actor} took back the approval of ${reference}.`,
  merge_request_unmergeable: ({ reference }) =>
    `${reference} can no longer be merged: it is in conflict with its target branch.`,
  merge_train_removed: ({ reference, facts }) =>
    `${reference} was removed from its merge train. ${facts.text ?? ''}`.trim(),
  approver: ({ reference }) => `A rule asks for your approval of ${reference}.`,
  failed_pipeline: ({ reference, facts }) => `The pipeline ${reference} for ${facts.ref ?? ''} failed.`,
  fixed_pipeline: ({ reference, facts }) => `The pipeline ${reference} for ${facts.ref ?? ''} passed again.`,
  success_pipeline: ({ reference, facts }) => `The pipeline ${reference} for ${facts.ref ?? ''} passed.`,
  new_release: ({ actor, facts, path }) => `${actor} released ${facts.ref ?? ''} of ${path}:`,
  moved_project: ({ facts, path }) => `The project ${facts.oldPath ?? ''} is now at ${path}.`,
  new_epic: ({ actor, reference }) => `${actor} opened ${reference}:`,
  mention_in_epic: ({ actor, reference }) => `${actor} mentioned you in ${reference}.`,
  reopen_epic: did('reopened'),
  close_epic: did('closed'),
};

/** What happened, in one sentence. */
export const sentenceOf = (told: Told): string => sentences[told.action](told);

const reasons: Readonly<Record<Reason, string>> = {
  mentioned: 'you were mentioned',
  assigned: 'it was assigned to you',
  unassigned: 'it was assigned to you before',
  review_requested: 'your review was asked for',
  review_removed: 'your review was asked for before',
  approval_required: 'a rule asks for your approval',
  author: 'you wrote it',
  assignee: 'it is assigned to you',
  reviewer: 'you review it',
  participating: 'you take part',
  own_pipeline: 'the pipeline is yours',
  member: 'you are a member of the project',
  subscribed: 'you subscribed to it',
  watching: 'you watch its project or group, or everything',
  custom: 'you chose this kind of event',
};

/** Why a user gets a mail, as the end of "You get this mail because …". */
export const reasonText = (reason: Reason): string => reasons[reason];

/** Reasons by strength: a mail with several parts gives the strongest. */
export const strongest = (given: readonly Reason[]): Reason => {
  const order = Object.keys(reasons) as Reason[];
  return [...given].sort((one, other) => order.indexOf(one) - order.indexOf(other))[0] ?? 'participating';
};
