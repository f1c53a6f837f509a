import { levels } from '@switchyard/rights';
import { headerLine, type Mail } from '../../mail';

/** A user is asked to take the place of a placeholder. */
export interface AskedForPlaceholder {
  readonly placeholderId: number;
  readonly projectId: number;
  /** Login of the person at the forge. */
  readonly login: string;
}

/** What no mail program takes for an address or a sentence. */
const plainLogin = /^[\w-]{1,39}$/;

/**
 * The mail to who is asked (ADR 67): to a member as long as they are one. Anybody else is shown nothing of the project but
 * its id, and gets one mail about it: who imports can ask for any number of people, and a forge of their own names logins as
 * they like.
 * @param path full path of the project; undefined to who is no member
 */
export function importPlaceholderMail(
  { placeholderId, projectId, login }: AskedForPlaceholder,
  path: string | undefined,
): Mail {
  const at = `POST /api/v4/projects/${projectId}/import/placeholders/${placeholderId}`;
  const person = path !== undefined || plainLogin.test(login) ? `"${headerLine(login)}"` : undefined;
  const lines = [
    `What ${person ?? 'somebody'} wrote at another forge was imported into ${path ?? 'a project here'}. You are asked whether you are this person.`,
    '',
    'If you accept, it is shown in your name there, and you get the role of this person where the import brings collaborators.',
    'Once the import has ended, answer with one of these requests:',
    '',
    `- ${at}/accept`,
    `- ${at}/reject`,
    '',
    '-- ',
    `You get this mail because ${path === undefined ? 'somebody who manages the project named you' : `you are a member of ${path}`}.`,
  ];
  return {
    ...(path === undefined
      ? { cause: `import_placeholder.project.${projectId}`, projectId: 0, accessLevel: 0 }
      : { cause: `import_placeholder.${placeholderId}`, projectId, accessLevel: levels.guest }),
    event: 'import_placeholder',
    subject: headerLine(
      `${path === undefined ? '' : `${path} | `}Are you ${person ?? 'the author of what was imported'}?`,
    ),
    body: `${lines.join('\n').toWellFormed().replaceAll('\0', '\uFFFD')}\n`,
    headers: {},
  };
}
