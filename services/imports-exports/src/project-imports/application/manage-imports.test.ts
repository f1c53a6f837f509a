import { type ImportEdges, manageImports, type WantedImport } from './manage-imports';

const never = new Promise<never>(() => undefined);
const wanted = { forge: 'github', author: { userId: 7 }, repository: 'acme/app', optionalStages: [] };

/** The use cases over a forge and a service that answer what is given. */
const managed = (answers: { highest: Promise<object>; reserved: Promise<void> }, signals: AbortSignal[]) =>
  manageImports({
    forges: {
      problemOf: () => undefined,
      open: (_place: unknown, _token: string, signal: AbortSignal) => {
        signals.push(signal);
        return { repository: async () => ({ name: 'app' }), highestNumbers: () => answers.highest };
      },
    },
    imports: {
      add: async () => ({ import: {} }),
      setProject: async () => undefined,
      release: async () => undefined,
    },
    targets: {
      createProject: async () => ({ projectId: 17 }),
      reserveNumbers: (_project: unknown, _highest: unknown, { signal }: { signal: AbortSignal }) => {
        signals.push(signal);
        return answers.reserved;
      },
    },
    workSoon: () => undefined,
  } as unknown as ImportEdges);

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

it.each([
  ['a forge', 1, { highest: never, reserved: Promise.resolve() }],
  ['a service', 2, { highest: Promise.resolve({}), reserved: never }],
])(
  'an import begins after 5 s without the numbers that %s does not answer for, which is asked no longer',
  async (...given) => {
    const [, asked, answers] = given;
    const signals: AbortSignal[] = [];
    const started = managed(answers, signals).start(wanted as unknown as WantedImport);
    await jest.advanceTimersByTimeAsync(4_999);
    expect(signals.map(({ aborted }) => aborted)).toEqual(new Array(asked).fill(false));
    await jest.advanceTimersByTimeAsync(1);
    expect(await Promise.race([started, 'it waits'])).toMatchObject({ project: { projectId: 17 } });
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
  },
);
