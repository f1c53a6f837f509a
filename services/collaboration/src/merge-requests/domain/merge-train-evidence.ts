import { linkAddress, literal } from '@switchyard/texts';

/** What shows that a car itself failed (D8). */
export interface MergeTrainEvidence {
  /** Commit that was tested; empty when it could not be built. */
  readonly testedSha: string;
  /** Tip of the target branch that it was built on; empty when unknown. */
  readonly baseSha: string;
  /** Its last pipeline; 0 when there was none. */
  readonly pipelineId: number;
  readonly statuses: readonly FailedStatus[];
  /** How often the same commit was tested again. */
  readonly reruns: number;
}

/** A status name that failed, both texts as an outside CI reported them. */
interface FailedStatus {
  readonly name: string;
  /** Empty when it gave none. */
  readonly targetUrl: string;
}

/** Status names that one text lists: with their links they are at most 13,000 characters. */
const maxNames = 10;

/** Characters of one status name. */
const maxNameLength = 100;

/** Digits of a commit, as in the API's `short_id`. */
const shortId = (sha: string): string => `\`${sha.slice(0, 8)}\``;

const nameOf = ({ name }: Pick<FailedStatus, 'name'>): string =>
  literal(name, maxNameLength) ?? 'a status without name';

function linkOf(status: FailedStatus): string {
  const address = linkAddress(status.targetUrl);
  return address === undefined ? nameOf(status) : `[${nameOf(status)}](${address})`;
}

/** The first `maxNames` of a list, as texts. */
function listed<T>(all: readonly T[], textOf: (one: T) => string): string {
  const left = all.length - maxNames;
  return `${all.slice(0, maxNames).map(textOf).join(', ')}${left > 0 ? ` and ${left} more` : ''}`;
}

/** Status names as one Markdown text: code, so that they mention and refer to nothing, and the first ten. */
export const statusNames = (names: readonly string[]): string => listed(names, (name) => nameOf({ name }));

/** Evidence as a Markdown list, one fact each; empty where there is none. */
export function evidenceList({ testedSha, baseSha, pipelineId, statuses, reruns }: MergeTrainEvidence): string {
  const again = reruns === 0 ? '' : `, tested again ${reruns === 1 ? 'once' : `${reruns} times`}`;
  // Not `#31`, which is an issue.
  const pipeline = pipelineId === 0 ? '' : ` in pipeline ${pipelineId}`;
  const lines = [
    statuses.length === 0 ? undefined : `Failed: ${listed(statuses, linkOf)}`,
    testedSha === '' ? undefined : `Tested commit: ${shortId(testedSha)}${pipeline}${again}`,
    baseSha === '' ? undefined : `Landed base: ${shortId(baseSha)}`,
  ];
  return lines.flatMap((line) => (line === undefined ? [] : `- ${line}`)).join('\n');
}
