import type { LedgerRow } from './ledger-entry';

/** How a text names the user it is about. */
export interface Person {
  /** `You` or the name of a user. */
  readonly subject: string;
  /** True for `You`. */
  readonly second: boolean;
}

const sent: Readonly<Record<string, (are: string) => string>> = {
  mention: (are) => `${are} mentioned`,
  participation: (are) => `${are} taking part`,
  subscription: (are) => `${are} subscribed`,
  watch: (are) => `${are} watching`,
  custom_flag: (are) => `${are} at the level custom, with the flag of this event`,
  own_pipeline: (are) => `${are} the owner of the pipeline`,
  membership: (are) => `${are} a member of the project`,
  role: (are) => `${are} in a role that this mail is for`,
  own_account: (are) => `${are} the owner of the account`,
  address: () => 'the address was given for it',
};

const skipped: Readonly<Record<string, (detail: string, second: boolean) => string>> = {
  level: (detail) => `the notification level is ${detail || 'disabled'}`,
  flag: (detail) => `the flag of the event is off: ${detail}`,
  unsubscribed: () => 'the subscription was ended',
  stopped: () => 'all mail about what happens was stopped',
  own_activity: (_detail, second) => `it was ${second ? 'your' : 'their'} own doing`,
  access: () => 'what it is about could not be read at that time',
  emails_disabled: (detail) => `mail is switched off${detail === '' ? '' : ` in ${detail}`}`,
  inactive: () => 'the account is not active',
  no_address: () => 'there is no address',
  confirmed: () => 'nothing waited for it any more',
  invalid_address: (detail) => `${detail} is no e-mail address`,
};

const fates: Readonly<Record<LedgerRow['fate'], (row: LedgerRow, second: boolean) => string>> = {
  not_sent: () => '',
  shown: () => '',
  queued: ({ attempts, error }) =>
    attempts === 0 ? 'It waits to be sent.' : `It waits for another try after ${attempts}: ${error}`,
  sent: () => 'It was sent.',
  withheld: ({ error }, second) =>
    `It was withheld when it was to be sent: ${(skipped[error] ?? (() => error))('', second)}.`,
  refused: ({ error }) => `The mail server refused it: ${error}`,
  given_up: ({ attempts, error }) => `It was given up after ${attempts} tries: ${error}`,
};

/** One entry in words. */
export function explain(row: LedgerRow, { subject, second }: Person): string {
  const { channel, decision, rule, detail, event } = row;
  const are = second ? 'you are' : 'the user is';
  const what = `${subject} got ${decision === 'skip' ? 'no ' : 'a '}${channel === 'mail' ? 'mail' : 'to-do'} about ${event}`;
  const because =
    decision === 'skip'
      ? (skipped[rule] ?? (() => rule))(detail, second)
      : channel === 'todo'
        ? `the event asks for it: ${rule}`
        : (sent[rule] ?? (() => rule))(are);
  const level = decision === 'skip' || channel === 'todo' || detail === '' ? '' : `; the level is ${detail}`;
  const digest = decision === 'digest' ? ' It is part of the daily digest.' : '';
  const fate = fates[row.fate](row, second);
  return `${what}, because ${because}${level}.${digest}${fate === '' ? '' : ` ${fate}`}`;
}

/** What is said where nothing was decided. */
export const nothingDecided = ({ subject, second }: Person): string =>
  `Nothing about this was decided for ${second ? 'you' : subject} in the last 30 days: no event concerned ${
    second ? 'you' : 'the user'
  } by taking part, a mention, a subscription or a notification setting.`;
