import { levels } from '@switchyard/rights';
import { headerLine, type Mail } from '../../mail';

/** A user is asked to take the place of a placeholder. */
export interface AskedForPlaceholder {
  readonly placeholderId: number;
  readonly projectId: number;
  /** Login of the person at the forge. */
  readonly login: string;
}

/**
 * The mail to who is asked (ADR 67), as long as they are a member of the project.
 * @param path full path of the project
 */
export function importPlaceholderMail({ placeholderId, projectId, login }: AskedForPlaceholder, path: string): Mail {
  const at = `POST /api/v4/projects/${projectId}/import/placeholders/${placeholderId}`;
  const person = headerLine(login);
  const lines = [
    `What "${person}" wrote at another forge was imported into ${path}. You are asked whether you are this person.`,
    '',
    'If you accept, it is shown in your name there. Once the import has ended, answer with one of these requests:',
    '',
    `- ${at}/accept`,
    `- ${at}/reject`,
    '',
    '-- ',
    `You get this mail because you are a member of ${path}.`,
  ];
  return {
    cause: `import_placeholder.${placeholderId}`,
    event: 'import_placeholder',
    projectId,
    accessLevel: levels.guest,
    subject: headerLine(`${path} | Are you "${person}"?`),
    body: `${lines.join('\n').toWellFormed().replaceAll('\0', '\uFFFD')}\n`,
    headers: {},
  };
}
