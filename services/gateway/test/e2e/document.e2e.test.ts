import fc from 'fast-check';
import { operationId } from '../../src/http/reference/operation-id';
import { bodySchema, querySchema, rulesOf } from '../../src/http/reference/parameters';
import { statusesOf } from '../../src/http/reference/responses';
import type { Route } from '../../src/http/route';
import { routes } from '../../src/routes';
import { type RequestSchema, valuesOf } from '../support/schema-arbitrary';
import { inLanes, startBadInputRig } from './support/bad-input-rig';
import { requestOf } from './support/bad-requests';

jest.setTimeout(240_000);

const seed = Number(process.env.SEED ?? 20_300_131);
/** Requests of each operation. */
const runs = Number(process.env.RUNS ?? 3);

/**
 * Refusals of a well-formed request: what it names is not there, is there already, may not do this, or is not in that state, and moments that
 * must lie before or after now.
 */
const ofState = new RegExp(
  [
    'taken|already|exist|not found|could not|cannot|not a member|Failed to merge|not allowed|Invalid reference|invalid reference name',
    'must be greater than start date|[Ee]xpir|reserved|may not read|has changed since|line_code|inherited membership|snippet_actions',
  ].join('|'),
);

describe('the OpenAPI document', () => {
  let rig: Awaited<ReturnType<typeof startBadInputRig>>;
  beforeAll(async () => {
    rig = await startBadInputRig();
  });
  afterAll(() => rig?.close());

  it('describes requests that are not refused for their form, and every status they are answered with', async () => {
    const refused: string[] = [];
    const ask = async (route: Route, sent: Record<string, unknown>, at: number): Promise<void> => {
      // What is required names things that are there.
      const base = rig.baseOf(route);
      const free = rulesOf(route).some(({ names }) => names.some((name) => Object.hasOwn(base, name)));
      // Cursors come from replies.
      const { cursor, page_token, ...own } = sent;
      const values = free
        ? own
        : {
            ...own,
            ...Object.fromEntries(
              Object.entries(base).filter(([name]) => !/title|name|body|note|email|description|scopes/.test(name)),
            ),
          };
      const path = rig.pathOf(route, await rig.victim(route));
      const reply = await rig.send(requestOf(route, path, values, at % 3 === 2 ? 0.7 : 0), await rig.tokenFor(route));
      const told = `${operationId(route)} ${reply.status} ${reply.text.slice(0, 200)} ← ${JSON.stringify(values).slice(0, 300)}`;
      if (!statusesOf(route).includes(reply.status)) refused.push(`not declared: ${told}`);
      if (reply.status === 400 && !ofState.test(reply.text)) refused.push(told);
    };
    const wanted = routes.filter(({ upload }) => upload === undefined);
    await inLanes(wanted, async (route) => {
      const schema = (bodySchema(route) ?? querySchema(route)) as RequestSchema;
      if (Object.keys(schema.properties ?? {}).length === 0) return;
      const requests = fc.sample(valuesOf(schema), { seed, numRuns: runs }) as Record<string, unknown>[];
      for (const [at, sent] of requests.entries()) await ask(route, sent, at);
    });
    expect(refused.map((one) => `${one}\n`)).toEqual([]);
  });
});
