import { type ImportEdges, manageImports, type WantedImport } from './manage-imports';

const never = new Promise<never>(() => undefined);
const wanted = { forge: 'github', author: { userId: 7 }, repository: 'acme/app', optionalStages: [] };

/** The use cases over a forge and a service that answer what is given. */
const managed = (answers: { highest: Promise<object>; reserved: Promise<void> }) =>
  manageImports({
    forges: {
      problemOf: () => undefined,
      open: () => ({ repository: async () => ({ name: 'app' }), highestNumbers: () => answers.highest }),
    },
    imports: {
      add: async () => ({ import: {} }),
      setProject: async () => undefined,
      release: async () => undefined,
    },
    targets: { createProject: async () => ({ projectId: 17 }), reserveNumbers: () => answers.reserved },
    workSoon: () => undefined,
  } as unknown as ImportEdges);

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it.each([
  ['a forge', { highest: never, reserved: Promise.resolve() }],
  ['a service', { highest: Promise.resolve({}), reserved: never }],
])('an import begins after 5 s without the numbers that %s does not answer for', async (_who, answers) => {
  const started = managed(answers).start(wanted as unknown as WantedImport);
  await jest.advanceTimersByTimeAsync(5_000);
  expect(await Promise.race([started, 'it waits'])).toMatchObject({ project: { projectId: 17 } });
});
