import type { z } from 'zod';
import { memberShape } from '../../../src/http/params';
import type { Route } from '../../../src/http/route';
import type { ApiReply, System } from './system';

// biome-ignore lint/suspicious/noExplicitAny: tests look into replies freely
type Json = any;

/** What the reply shows for values of a parameter, each as `value => what the reply shows`; two of them must differ. */
export interface Effect {
  readonly cases: readonly string[];
  /** Reads from a reply what it shows; without it the names of a list's items in alphabetical order. */
  readonly read?: (body: Json, reply: ApiReply) => unknown;
  /** The names count in the order in which the list has them. */
  readonly ordered?: boolean;
  /** Further query parameters, without which this one has nothing to act on. */
  readonly beside?: string;
  /** Another address of the same operation, where this parameter shows more; the text expected there is compared as it is. */
  readonly at?: string;
  /** Token of another user, for whom it makes a difference. */
  readonly as?: string | undefined;
}

/** How a declared parameter is shown to be taken seriously: by its effect, by its refusal, or why it has neither. */
export type Proof =
  | Effect
  | { readonly refused: string; readonly as?: string | undefined }
  | { readonly reason: string };
export type Proofs = Readonly<Record<string, Proof>>;

/** A route with a request on which its parameters are shown. */
export interface Row {
  readonly operation: string;
  readonly path: string;
  /** Token; the administrator's when absent. */
  readonly token?: string | undefined;
  /** Name of an item of the list. */
  readonly name?: (item: Json) => unknown;
  /** Names that this list can hold: of the names in cases the others do not count. */
  readonly within?: readonly string[];
  readonly proofs: Proofs;
}

export const on = (...cases: string[]): Effect => ({ cases });
export const refused = (value: string) => ({ refused: value });
export const because = (reason: string): Proof => ({ reason });
/** What the first item of a list, or the one object of the reply, has in a field. */
export const field =
  (path: string) =>
  (body: Json): unknown =>
    path.split('.').reduce((at, part) => at?.[part], Array.isArray(body) ? body[0] : body);
export const reading = (read: Effect['read'], ...cases: string[]): Effect => ({ cases, read: read as never });

/** Orders by column, with the names they give upwards. The direction is shown on the first. */
export function orders(byColumn: Record<string, string>, beside = ''): Proofs {
  const [[column, names] = ['', '']] = Object.entries(byColumn);
  const and = beside === '' ? '' : `&${beside}`;
  const down = names.split(' ').reverse().join(' ');
  return {
    order_by: {
      cases: Object.entries(byColumn).map((one) => one.join(' => ')),
      ordered: true,
      beside: `sort=asc${and}`,
    },
    sort: { ...on(`asc => ${names}`, `desc => ${down}`), ordered: true, beside: `order_by=${column}${and}` },
  };
}

/** What every list takes; lists.e2e shows it of every one of them. */
const paging = ['page', 'per_page', 'pagination', 'cursor'];

const membersOf = (name: string, schema: unknown): string[] => {
  const members = Object.keys(memberShape(schema) ?? {});
  return members.length === 0 ? [name] : members.map((member) => `${name}[${member}]`);
};

/** Names of the parameters that a route declares, members of hashes one by one, orders included. */
export const parametersOf = ({ params, list }: Route): string[] => {
  const own = Object.entries((params ?? {}) as z.ZodRawShape).flatMap(([name, schema]) => membersOf(name, schema));
  const ordering = [...(list?.orderBy?.length ? ['order_by'] : []), ...(list?.sort === undefined ? [] : ['sort'])];
  return [...new Set([...own, ...ordering])].filter((name) => !paging.includes(name));
};

const words = (value: unknown): string => (Array.isArray(value) ? value.join(' ') : String(value));

/** What is wrong with the proof of one parameter; nothing when the replies are as it says. */
export async function failuresOf(system: System, row: Row, parameter: string, proof: Proof): Promise<string[]> {
  if ('reason' in proof) return [];
  const ask = (value: string, beside = '') => {
    const query = `${parameter}=${encodeURIComponent(value)}${beside === '' ? '' : `&${beside}`}`;
    const path = ('at' in proof ? proof.at : undefined) ?? row.path;
    return system.api('GET', `${path}${path.includes('?') ? '&' : '?'}${query}`, {
      token: ('as' in proof ? proof.as : undefined) ?? row.token,
    });
  };
  const about = `${row.operation} ${parameter}`;
  if ('refused' in proof) {
    const { status, text } = await ask(proof.refused);
    return status === 400 && text.includes(`"${parameter} is not supported`) ? [] : [`${about}: ${status} ${text}`];
  }
  const { name = ({ id }: Json) => id } = row;
  const within = proof.at === undefined ? row.within : undefined;
  const counts = (one: unknown): boolean => within === undefined || within.includes(String(one));
  const inOrder = (body: Json) => body.map(name).filter(counts);
  const read = proof.read ?? (proof.ordered === true ? inOrder : (body: Json) => inOrder(body).sort());
  const failures: string[] = [];
  const seen = new Set<string>();
  for (const one of proof.cases) {
    const [value = '', names = ''] = one.split(/ => ?/);
    const listed = proof.read === undefined ? names.split(' ').filter(counts) : [names];
    const wanted = (proof.read === undefined && proof.ordered !== true ? listed.sort() : listed).join(' ');
    const reply = await ask(value, proof.beside);
    const found =
      reply.status === 200 || proof.read?.length === 2
        ? words(read(reply.body, reply))
        : `${reply.status} ${reply.text}`;
    if (found !== wanted) failures.push(`${about}=${value}: not <${wanted}> but <${found}>`);
    seen.add(wanted);
  }
  return seen.size < 2 ? [...failures, `${about}: makes no difference`] : failures;
}
