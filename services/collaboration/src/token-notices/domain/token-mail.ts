import { levels } from '@switchyard/rights';
import { formatTimestamp } from '@switchyard/texts';
import { headerLine, type Mail } from '../../mail';

/** A token that ends soon. */
export interface ExpiringToken {
  /** A token of a user, or of the bot of a project or group; or a deploy token. */
  readonly kind: 'access' | 'deploy';
  readonly id: number;
  readonly name: string;
  /** When it ends: at the beginning of a day, as `YYYY-MM-DD`, UTC, or at a time. */
  readonly expiresAt: string | Date;
  /** Project that it is of; 0 for the others. */
  readonly projectId: number;
  /** Group that it is of; 0 for the others. */
  readonly groupId: number;
}

/** Least level of the members who are notified of the token of a project or group: those who can make another one. */
export const tokenMailLevel = ({ projectId, groupId }: Pick<ExpiringToken, 'projectId' | 'groupId'>): number => {
  if (projectId > 0) return levels.maintainer;
  return groupId > 0 ? levels.owner : 0;
};

/**
 * The mail about a token that ends soon. It names the token and says nothing by which it could be found.
 * @param path full path of its project or group; undefined for a token of the recipient
 */
export function tokenMail(token: ExpiringToken, path: string | undefined): Mail {
  const { kind, id, expiresAt, projectId, groupId } = token;
  const name = headerLine(token.name);
  const whose =
    path === undefined
      ? 'Your personal access token'
      : `${kind === 'deploy' ? 'A deploy' : 'An access'} token of ${path}`;
  const [day, at] =
    typeof expiresAt === 'string'
      ? [expiresAt, `${expiresAt} at 00:00 UTC`]
      : [expiresAt.toISOString().slice(0, 10), formatTimestamp(expiresAt)];
  const lines = [
    `${whose}, "${name}", ends on ${at}.`,
    '',
    `${kind === 'deploy' ? 'Make another one' : 'Rotate it or make another one'} before that day, or what uses it will be refused.`,
    '',
    '-- ',
    path === undefined
      ? 'You get this mail because the token is yours.'
      : `You get this mail because you manage ${path}.`,
  ];
  return {
    cause: `${kind === 'deploy' ? 'deploy_token' : 'token'}.expiring.${id}`,
    event: 'token_expiry',
    projectId,
    groupId,
    accessLevel: tokenMailLevel(token),
    subject: headerLine(`${path === undefined ? '' : `${path} | `}The token "${name}" ends on ${day}`),
    body: `${lines.join('\n').toWellFormed()}\n`,
    headers: {},
  };
}
