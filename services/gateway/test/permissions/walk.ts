import {
  type ResolveRequest,
  type ResolveResponse,
  ResolveResponse_TokenRefusal as TokenRefusal,
} from '@switchyard/protos/groups_admin/v1/access';
import { type Access, Access_ClosedFeatures, Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { anonymous, entity } from '@switchyard/rpc';
import type { Route } from '../../src/http/route';
import { actor, projectAccess, resolved, startTestGateway, type TestGateway } from '../support/gateway';
import { cellsOf, type Expectation, roles } from './expectation';

/** A cell that came out otherwise. */
export interface UnexpectedReply {
  readonly operation: string;
  readonly visibility: string;
  readonly role: string;
  readonly expected: string;
  readonly found: string;
}

/**
 * Visibilities of a project or group; `closed` is a public project that keeps all its features to its members,
 * `registry` a private one whose packages are public.
 */
const visibilities = ['public', 'internal', 'private', 'closed', 'registry'] as const;
export type Visibility = (typeof visibilities)[number];
type Role = (typeof roles)[number];

const levels: Record<Role, number> = {
  anonymous: 0,
  outsider: 0,
  guest: 10,
  planner: 15,
  reporter: 20,
  developer: 30,
  maintainer: 40,
  owner: 50,
  administrator: 50,
  blocked: 50,
  expired: 50,
  read_api: 50,
};

/** The roles of a level: those who a rule lets in first when it is weakened to that level. */
export const rolesAt = (level: number): Role[] => roles.filter((role) => levels[role] === level);

const sees = (role: Role, visibility: Visibility): boolean =>
  visibility === 'public' ||
  visibility === 'closed' ||
  levels[role] > 0 ||
  (visibility === 'internal' && role !== 'anonymous');

const none = Access_ClosedFeatures.fromPartial({});
const allFeatures = Object.fromEntries(Object.keys(none).map((name) => [name, true])) as unknown as typeof none;

/** What groups-admin answers for a role: the walk gives the gateway this and nothing else. */
function answerFor(request: ResolveRequest): ResolveResponse {
  const [role, visibility] = request.token === '' ? ['anonymous', currentVisibility] : request.token.split(' ');
  const who = role as Role;
  if (who === 'blocked') return resolved({ actor: undefined, tokenRefusal: TokenRefusal.TOKEN_REFUSAL_BLOCKED });
  if (who === 'expired') return resolved({ actor: undefined, tokenRefusal: TokenRefusal.TOKEN_REFUSAL_EXPIRED });
  const registry = visibility === 'registry';
  const seen =
    request.target !== undefined && (sees(who, visibility as Visibility) || (registry && request.packages === true));
  const access: Access | undefined = seen
    ? projectAccess({
        kind: request.target?.$case === 'group' ? Access_Kind.KIND_GROUP : Access_Kind.KIND_PROJECT,
        visibility: visibility === 'closed' ? 'public' : registry ? 'private' : (visibility as string),
        ...(registry ? { packagesPublic: true } : {}),
        level: levels[who],
        ...(visibility === 'closed' && levels[who] === 0 ? { closed: allFeatures } : {}),
      })
    : undefined;
  return resolved({
    actor:
      who === 'anonymous'
        ? anonymous
        : actor({ admin: who === 'administrator', scopes: who === 'read_api' ? ['read_api'] : ['api', 'sudo'] }),
    access,
    // The question of an anonymous caller is the same in every visibility: its answer must not be kept.
    validUntil: who === 'anonymous' ? 1 : 0,
  });
}

// An anonymous request carries no token to name its case, so the walk is one visibility at a time.
let currentVisibility: Visibility = 'public';

/** A path of a pattern, with something for each of its parameters. */
export const pathOf = (pattern: string): string =>
  pattern
    .replace(/:(id|[a-z_]*iid|[a-z_]+_id)(?=\/|$)/g, '1')
    .replace(/:(sha|commit_id)(?=\/|$)/g, 'a'.repeat(40))
    .replace(/:slug(?=\/|$)/g, 'slack')
    .replace(/[:*][a-z_0-9]+/g, 'name');

const symbol = (status: number): string => (status === 401 ? '1' : status === 403 ? '3' : status === 404 ? '4' : '.');

/** A gateway with `routes`, whose services answer everything, to be walked role by role. */
export interface Walk {
  /** The cells that come out otherwise, in the visibilities and for the roles asked for. */
  unexpectedReplies(
    expectations: readonly Expectation[],
    where?: readonly Visibility[],
    who?: readonly Role[],
  ): Promise<UnexpectedReply[]>;
  close(): Promise<void>;
}

/** Opens a walk of role × operation × visibility. */
export async function openWalk(routes: readonly Route[]): Promise<Walk> {
  const gateway = await startTestGateway({
    routes,
    access: answerFor,
    config: { SWITCHYARD_APPLICATION_LIMITS: 0 },
    fakes: {
      'AvatarService/GetAvatar': async () => ({ content: Buffer.from('x'), contentType: 'image/png', filename: 'x' }),
      'DependencyListExportService/GetDependencyListExportSignature': async () => ({ signature: Buffer.from('x') }),
    },
    otherwise: async () => entity({}),
  });
  return {
    async unexpectedReplies(expectations, where = visibilities, who = roles) {
      const found: UnexpectedReply[] = [];
      for (const visibility of where) {
        currentVisibility = visibility;
        found.push(...(await Promise.all(expectations.map((one) => walkOne(gateway, one, visibility, who)))).flat());
      }
      return found;
    },
    close: () => gateway.close(),
  };
}

async function walkOne(
  gateway: TestGateway,
  expectation: Expectation,
  visibility: Visibility,
  who: readonly Role[],
): Promise<UnexpectedReply[]> {
  const [method = '', pattern = ''] = expectation.operation.split(' ');
  const expected = cellsOf(expectation, visibility);
  if (expected === undefined) return [];
  const unexpectedReplies: UnexpectedReply[] = [];
  for (const [index, role] of roles.entries()) {
    if (!who.includes(role) || (visibility === 'registry' && levels[role] > levels.planner)) continue;
    const query = method === 'GET' || method === 'DELETE' ? queryOf(expectation.parameters) : '';
    const reply = await gateway.send(method, `${pathOf(pattern)}${query}`, {
      ...(role === 'anonymous' ? {} : { token: `${role} ${visibility}` }),
      ...(query !== '' || method === 'GET' || expectation.parameters === undefined
        ? {}
        : { body: expectation.parameters }),
    });
    const found =
      reply.status === 400
        ? `400 ${reply.text}`
        : reply.status >= 500
          ? `${reply.status} ${reply.text}`
          : symbol(reply.status);
    if (found !== expected[index]) {
      unexpectedReplies.push({
        operation: expectation.operation,
        visibility,
        role,
        expected: expected[index] ?? '',
        found,
      });
    }
  }
  return unexpectedReplies;
}

function queryOf(parameters: Readonly<Record<string, unknown>> | undefined): string {
  if (parameters === undefined) return '';
  return `?${new URLSearchParams(Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]))}`;
}
