import { headerLine, type Mail } from '../../mail';

/** An import of gists that failed or left some out. */
export interface EndedGistImport {
  readonly importId: number;
  /** Why it failed; empty for one that is finished. */
  readonly problem: string;
  readonly imported: number;
  readonly skipped: number;
  /** The first of them. */
  readonly skippedGists: readonly { readonly title: string; readonly url: string; readonly reason: string }[];
}

/** The mail to whose gists they are (api.md 4.19). */
export function gistImportMail({ importId, problem, imported, skipped, skippedGists }: EndedGistImport): Mail {
  const further = skipped - skippedGists.length;
  const lines = [
    ...(problem === '' ? [] : [`The import of your gists has failed: ${problem}`, '']),
    `Imported as personal snippets: ${imported}. Not imported: ${skipped}${skipped === 0 ? '.' : ':'}`,
    '',
    ...skippedGists.flatMap(({ title, url, reason }) => [`- ${title}: ${reason}`, `  ${url}`]),
    ...(further > 0 ? [`- and ${further} more`] : []),
    '',
    '-- ',
    'You get this mail because you began the import.',
  ];
  return {
    cause: `gist_import.${importId}`,
    event: 'gist_import',
    projectId: 0,
    accessLevel: 0,
    subject: headerLine(problem === '' ? 'Some gists were not imported' : 'Your gists were not imported'),
    body: `${lines.join('\n').toWellFormed().replaceAll('\0', '\uFFFD')}\n`,
    headers: {},
  };
}
