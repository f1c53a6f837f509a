import { levels } from '@switchyard/rights';
import { type Ability, groupAbilities, projectAbilities } from '../../src/http/abilities';
import type { Route } from '../../src/http/route';
import { routes } from '../../src/routes';
import { isOfObject } from './expectation';
import { expectations } from './expected';
import { openWalk, rolesAt } from './walk';

/** Thousands of requests, some 20 s of computing. */
jest.setTimeout(240_000);

const operationOf = (route: Route): string => `${route.method.toUpperCase()} ${route.path}`;

describe('permissions', () => {
  it('have a row for every route, and a route for every row', () => {
    const rows = new Set(expectations.map(({ operation }) => operation));
    expect([...rows].sort()).toEqual(routes.map(operationOf).sort());
  });

  it('have a row for every ability that a parameter asks for', () => {
    const wanted = routes.flatMap((route) =>
      Object.keys(route.abilityWith ?? {}).map((parameter) => `${operationOf(route)} ${parameter}`),
    );
    const rows = expectations.flatMap(({ operation, parameters = {} }) =>
      Object.keys(parameters).map((parameter) => `${operation} ${parameter}`),
    );
    expect(wanted.filter((one) => !rows.includes(one))).toEqual([]);
  });

  it('are what the rows say, role by role and visibility by visibility', async () => {
    const walk = await openWalk(routes);
    expect(await walk.unexpectedReplies(expectations)).toEqual([]);
    await walk.close();
  });

  const nextLower = (level: number): number =>
    Math.max(0, ...Object.values(levels).filter((one) => one < level && one !== levels.minimal));
  const rowsOf = (route: Route) => expectations.filter(({ operation }) => operation === operationOf(route));

  it('notice any one ability weakened by one level, on any one route', async () => {
    const tables = { ...projectAbilities, ...groupAbilities } as Record<
      string,
      { -readonly [K in keyof Ability]: Ability[K] }
    >;
    const walk = await openWalk(routes);
    const unnoticed: string[] = [];
    for (const route of routes) {
      if (typeof route.access === 'string') continue;
      const ability = tables[Object.values(route.access)[0] as string] as {
        -readonly [K in keyof Ability]: Ability[K];
      };
      // Below it a private target is not seen at all: by groups-admin's gate, or by that of what the path locates.
      const seen = route.locate === undefined ? levels.guest : projectAbilities[route.locate.read].private;
      for (const visibility of ['public', 'internal', 'private'] as const) {
        const level = ability[visibility];
        if (level <= (visibility === 'private' ? seen : 0)) continue;
        const lower = nextLower(level);
        ability[visibility] = lower;
        const unexpectedReplies = await walk.unexpectedReplies(rowsOf(route), [visibility], rolesAt(lower));
        ability[visibility] = level;
        if (unexpectedReplies.length === 0) unnoticed.push(`${operationOf(route)} ${visibility} ${level}`);
      }
    }
    await walk.close();
    expect(unnoticed).toEqual([]);
  });

  it('notice any one ability taken out of its feature, on any one route', async () => {
    const walk = await openWalk(routes);
    const unnoticed: string[] = [];
    for (const route of routes) {
      if (typeof route.access === 'string' || !('project' in route.access)) continue;
      const ability: { -readonly [K in keyof Ability]: Ability[K] } = projectAbilities[route.access.project];
      const { feature } = ability;
      // Where outsiders lack the level for the feature itself, it is closed to them as it is.
      if (feature === undefined || (ability.public > 0 && !isOfObject(operationOf(route)))) continue;
      delete ability.feature;
      const unexpectedReplies = await walk.unexpectedReplies(rowsOf(route), ['closed'], rolesAt(0));
      ability.feature = feature;
      if (unexpectedReplies.length === 0) unnoticed.push(operationOf(route));
    }
    await walk.close();
    expect(unnoticed).toEqual([]);
  });

  it('notice any one route opened from administrators to users, or from users to everybody', async () => {
    const steps = { admin: 'user', user: 'public' } as const;
    const opened = routes.flatMap((route) => {
      if (route.administrators) return [{ ...route, administrators: undefined }] as unknown as Route[];
      return route.access === 'admin' || route.access === 'user' ? [{ ...route, access: steps[route.access] }] : [];
    });
    const walk = await openWalk(opened);
    const noticed = new Set(
      (await walk.unexpectedReplies(opened.flatMap(rowsOf), ['public'], rolesAt(0))).map(({ operation }) => operation),
    );
    await walk.close();
    expect(opened.map(operationOf).filter((operation) => !noticed.has(operation))).toEqual([]);
  });
});
