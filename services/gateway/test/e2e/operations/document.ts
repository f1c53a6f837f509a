import fc from 'fast-check';
import { openapiOf } from '../../../src/http/params';
import { operationId } from '../../../src/http/reference/operation-id';
import { bodySchema, querySchema, rulesOf } from '../../../src/http/reference/parameters';
import { statusesOf } from '../../../src/http/reference/responses';
import type { Route } from '../../../src/http/route';
import { routes } from '../../../src/routes';
import { type RequestSchema, valuesOf } from '../../support/schema-arbitrary';
import type { BadInputHarness } from '../support/bad-input-harness';
import { isRequired, requestOf } from '../support/bad-requests';
import { inLanes } from '../support/in-lanes';

const seed = Number(process.env.SEED ?? 20_300_131);
/** Requests of each operation. */
const runs = Number(process.env.RUNS ?? 3);

/** Refusals of a well-formed request for the state of what it names: a document cannot say these. */
const refusalsOfState: readonly RegExp[] = [
  // What it names is not there, is there already, or its name is kept.
  /not found|taken|already|exist|reserved|Invalid reference|invalid reference name|sha is not valid/,
  // The caller may not do this with what it names.
  /could not|cannot|not allowed|may not read|insufficient permissions|not a member|inherited membership/,
  // What it names has moved on, or has no such line, file or branch.
  /when you are on a branch|Failed to merge|has changed since|line_code|snippet_actions/,
  // A suggestion no longer fits its branch.
  /in the meantime|belong to several merge requests|merge request is not open/,
  // A note stays confidential or open, as its thread began.
  /:confidential=>\[\\"can't be changed/,
  // Days, hours and lines that lie on the wrong side of another, or of now.
  /must be greater than start date|must be less than or equal to range|[Ee]xpir|until must be within|until goes with|after must not be|must span at most/,
  // A mapping has to fit its sample payload and the fields that it fills.
  /in the sample payload|needs a sample|must be of type|is no (STRING|DATETIME|ARRAY)|is mapped twice|cannot have a fallback path/,
  // How short a password may be is a setting, and names of emoji are more than a document lists.
  /is too short \(minimum is|is not a valid emoji name/,
  // A variable is hidden from its beginning, or never.
  /Only new variables can be set as masked and hidden/,
  // The address of a forge, which is more than a text.
  /Invalid URL: /,
  // Without a payload the sample of the integration is shown, which may have none.
  /"payload":\["can't be blank"\]/,
];
const isOfState = (text: string): boolean => refusalsOfState.some((one) => one.test(text));

/** A form cannot say that a list is empty. */
const fitsForm = (values: Record<string, unknown>): boolean => !JSON.stringify(values).includes('[]');

export const documentTests = (started: () => BadInputHarness): void =>
  describe('the OpenAPI document', () => {
    let harness: BadInputHarness;
    beforeAll(() => {
      harness = started();
    });

    it('describes requests that are not refused for their form, and every status they are answered with', async () => {
      const refused: string[] = [];
      const ask = async (route: Route, sent: Record<string, unknown>, at: number): Promise<void> => {
        // What is required names things that are there.
        const base = harness.baseOf(route);
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
        const path = harness.pathOf(route, await harness.victim(route));
        const reply = await harness.send(
          requestOf(route, path, values, at % 3 === 2 && fitsForm(values) ? 0.7 : 0),
          await harness.tokenFor(route),
        );
        const line = `${operationId(route)} ${reply.status} ${reply.text.slice(0, 200)} ← ${JSON.stringify(values).slice(0, 300)}`;
        if (!statusesOf(route).includes(reply.status)) refused.push(`not declared: ${line}`);
        if (reply.status === 400 && !isOfState(reply.text)) refused.push(line);
      };
      // A file is no value that a document draws: avatar.comp.test sends some.
      const needsFile = ({ params = {} }: Route): boolean =>
        Object.values(params).some((schema) => isRequired(schema) && openapiOf(schema).format === 'binary');
      // A stream lasts until its reader leaves; the documents of package managers are not described.
      const wanted = routes.filter(
        (route) =>
          route.upload === undefined &&
          route.events === undefined &&
          route.challenges !== true &&
          // What a kind of integration requires follows from its slug.
          !/\/(integrations|services)\/:slug$/.test(route.path) &&
          // What a refresh requires follows from the forge of the project.
          !route.path.endsWith('/import/refresh') &&
          !needsFile(route),
      );
      await inLanes(wanted, async (route) => {
        const schema = (bodySchema(route) ?? querySchema(route)) as RequestSchema;
        if (Object.keys(schema.properties ?? {}).length === 0) return;
        const requests = fc.sample(valuesOf(schema), { seed, numRuns: runs }) as Record<string, unknown>[];
        for (const [at, sent] of requests.entries()) await ask(route, sent, at);
      });
      expect(refused.map((one) => `${one}\n`)).toEqual([]);
    });
  });
