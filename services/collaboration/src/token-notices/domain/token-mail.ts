import { levels } from '@switchyard/rights';
import { headerLine, type Mail } from '../../mail';

/** A token that ends soon. */
export interface ExpiringToken {
  readonly id: number;
  readonly name: string;
  /** `YYYY-MM-DD`: the first day on which it is no longer good. */
  readonly expiresAt: string;
  /** Project whose access token it is; 0 for the others. */
  readonly projectId: number;
  /** Group whose access token it is; 0 for the others. */
  readonly groupId: number;
}

/** Least level of the members who are notified of access tokens: those who can make another one. */
export const tokenMailLevel = ({ projectId, groupId }: Pick<ExpiringToken, 'projectId' | 'groupId'>): number => {
  if (projectId > 0) return levels.maintainer;
  return groupId > 0 ? levels.owner : 0;
};

/**
 * The mail about a token that ends soon. It names the token and says nothing by which it could be found.
 * @param path full path of its project or group; undefined for a token of the recipient
 */
export function tokenMail(token: ExpiringToken, path: string | undefined): Mail {
  const name = headerLine(token.name);
  const whose = path === undefined ? 'Your personal access token' : `An access token of ${path}`;
  const lines = [
    `${whose}, "${name}", ends on ${token.expiresAt} at 00:00 UTC.`,
    '',
    'Rotate it or make another one before that day, or what uses it will be refused.',
    '',
    '-- ',
    path === undefined
      ? 'You get this mail because the token is yours.'
      : `You get this mail because you manage ${path}.`,
  ];
  return {
    cause: `token.expiring.${token.id}`,
    event: 'token_expiry',
    projectId: token.projectId,
    groupId: token.groupId,
    accessLevel: tokenMailLevel(token),
    subject: headerLine(`${path === undefined ? '' : `${path} | `}The token "${name}" ends on ${token.expiresAt}`),
    body: `${lines.join('\n').toWellFormed()}\n`,
    headers: {},
  };
}
