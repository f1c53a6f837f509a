import type { z } from 'zod';
import type { ProjectAbility } from '../http/abilities';
import { type Answer, defineRoute, type HandlerContext, type Route } from '../http/route';
import { globalScope } from './issuable-filters';

type Values<T extends z.ZodRawShape> = z.infer<z.ZodObject<T>>;
type Context = HandlerContext<z.ZodRawShape, z.ZodRawShape, unknown>;
type Place = 'instance' | 'group' | 'project';

/** A list, or a count, of issues or merge requests: of the instance, of a group and of a project. */
interface IssuableList<Filters extends z.ZodRawShape, More extends z.ZodRawShape>
  extends Pick<Route, 'section' | 'relations' | 'limitWith' | 'list' | 'returns'> {
  /** Last segment of the paths. */
  readonly name: string;
  /** Summary of that of the instance. */
  readonly summary: string;
  /** Who may request that of a project. */
  readonly read: ProjectAbility;
  readonly filters: Filters;
  /** Filters of some of the three. */
  readonly more: More;
  readonly moreOf: Partial<Record<Place, readonly (keyof More & string)[]>>;
  /** @param requested `source` is what the list is of, 0 for neither; `scope` has the default of the list */
  answer(
    requested: {
      readonly params: Values<Filters> & Partial<Values<More>>;
      readonly scope: string | undefined;
      readonly source: { readonly projectId: number; readonly groupId: number };
    } & Pick<Context, 'page' | 'call'>,
  ): Promise<Answer>;
}

/** The three endpoints of a list. */
export function issuableLists<
  Filters extends z.ZodRawShape & { scope: z.ZodType<string | undefined> },
  More extends z.ZodRawShape,
>({ name, summary, read, filters, more, moreOf, answer, ...declared }: IssuableList<Filters, More>): Route[] {
  const paramsOf = (place: Place): Filters & Partial<More> => ({
    ...filters,
    ...(Object.fromEntries((moreOf[place] ?? []).map((one) => [one, more[one]])) as Partial<More>),
  });
  type Given = Values<Filters> & Partial<Values<More>> & { readonly scope: string | undefined };
  return [
    defineRoute({
      method: 'get',
      path: `/${name}`,
      summary,
      access: 'public',
      params: paramsOf('instance'),
      ...declared,
      handle: async ({ params, actor, page, call }) =>
        answer({
          params: params as Given,
          scope: globalScope((params as Given).scope, actor.userId),
          source: { projectId: 0, groupId: 0 },
          page,
          call,
        }),
    }),
    ...(['group', 'project'] as const).map((place) =>
      defineRoute({
        method: 'get',
        path: `/${place}s/:id/${name}`,
        summary: `${summary} of a ${place}`,
        access: place === 'group' ? { group: 'read_group' } : { project: read },
        params: paramsOf(place),
        ...declared,
        handle: ({ params, access, page, call }) =>
          answer({
            params: params as Given,
            scope: (params as Given).scope,
            source: place === 'group' ? { projectId: 0, groupId: access.id } : { projectId: access.id, groupId: 0 },
            page,
            call,
          }),
      }),
    ),
  ];
}
