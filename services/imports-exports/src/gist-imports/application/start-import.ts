import { AppError } from '@switchyard/errors';
import { faultPoint, faultPoints } from '@switchyard/events';
import { answerInTime, ForgeProblem, invalidUrl } from '../../forges';
import type { GistForges, GistImportStore } from './imports.ports';

faultPoints.push('gist_import.added');

/** What the forge's refusal is to the caller (G-4.19-3). */
function refusalOf(error: unknown, host: string): unknown {
  if (!(error instanceof ForgeProblem)) return error;
  const { kind, seconds, message } = error;
  if (kind === 'address') return invalidUrl(host);
  if (kind === 'token')
    return new AppError('unauthorized', { errors: 'Access denied to the GitHub account' }, { cause: error });
  if (seconds === undefined) return new AppError('unprocessable', { errors: message }, { cause: error });
  return new AppError('rate_limited', { errors: 'GitHub API rate limit exceeded' }, { retryAfter: seconds });
}

/** What imports are begun with. */
export interface StartEdges {
  readonly imports: Pick<GistImportStore, 'add'>;
  readonly forges: GistForges;
  /** Has the new import worked on soon. */
  readonly workSoon: () => void;
}

/** Begins imports of gists. */
export const startGistImports = ({ imports, forges, workSoon }: StartEdges) => ({
  /**
   * Begins an import of the gists of the owner of a token of the forge. Fails with `invalid` for an address that may not
   * be reached, `unauthorized` and `rate_limited` as the forge says, `unprocessable` for a forge that does not answer,
   * and while the author has an import that goes on (G-4.19-3).
   */
  async start(authorId: number, host: string, token: string): Promise<void> {
    if (forges.problemOf(host) !== undefined) throw invalidUrl(host);
    const waiting = new AbortController();
    await answerInTime(waiting, forges.open(host, token, waiting.signal).gists(1, 1)).catch((error: unknown) => {
      throw refusalOf(error, host);
    });
    if (!(await imports.add(authorId, host, token)))
      throw new AppError('unprocessable', { errors: 'Import already in progress' });
    faultPoint('gist_import.added');
    workSoon();
  },
});

/** What `startGistImports` gives. */
export type StartGistImports = ReturnType<typeof startGistImports>;
