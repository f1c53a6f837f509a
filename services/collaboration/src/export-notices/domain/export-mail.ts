import { levels } from '@switchyard/rights';
import { formatTimestamp } from '@switchyard/texts';
import { headerLine, type Mail } from '../../mail';

/** An export of a dependency list that has ended. */
export interface EndedExport {
  readonly exportId: number;
  /** Project that it is of; 0 for a group. */
  readonly projectId: number;
  /** Group that it is of; 0 for a project. */
  readonly groupId: number;
  readonly fullPath: string;
  /** Pipeline that it is of; 0 for none. */
  readonly pipelineId: number;
  /** Why it failed; empty for one that is finished. */
  readonly problem: string;
  readonly downloadUrl: string;
  readonly expiresAt: Date | undefined;
}

/** The mail to the author of an export. It is sent while they may still read the list (G-4.14-2). */
export function exportMail(ended: EndedExport): Mail {
  const { exportId, projectId, groupId, fullPath, pipelineId, problem, downloadUrl, expiresAt } = ended;
  const of = `${fullPath}${pipelineId === 0 ? '' : `, pipeline #${pipelineId}`}`;
  const said =
    problem === ''
      ? [
          `The dependency list of ${of} has been exported. Download it with your token at`,
          '',
          downloadUrl,
          ...(expiresAt === undefined ? [] : ['', `It is removed at ${formatTimestamp(expiresAt)}.`]),
        ]
      : [`The dependency list of ${of} could not be exported: ${problem}`];
  const lines = [...said, '', '-- ', 'You get this mail because you asked for it with the export.'];
  return {
    cause: `dependency_list_export.${exportId}`,
    event: 'dependency_list_export',
    projectId,
    groupId,
    accessLevel: levels.developer,
    subject: headerLine(`${fullPath} | Dependency list ${problem === '' ? 'exported' : 'not exported'}`),
    body: `${lines.join('\n').toWellFormed().replaceAll('\0', '\uFFFD')}\n`,
    headers: {},
  };
}
