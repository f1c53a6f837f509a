import { type ImportEdges, manageImports, type WantedImport } from './manage-imports';

const never = new Promise<never>(() => undefined);
const wanted = { forge: 'github', author: { userId: 7 }, repository: 'acme/app', optionalStages: [] };

/** The use cases over a forge and a service that answer what is given. */
const managed = (
  answers: { repository?: Promise<object>; highest: Promise<object>; reserved: Promise<void> },
  signals: AbortSignal[],
) =>
  manageImports({
    forges: {
      problemOf: () => undefined,
      open: (_place: unknown, _token: string, signal: AbortSignal) => {
        signals.push(signal);
        return { repository: async () => answers.repository ?? { name: 'app' }, highestNumbers: () => answers.highest };
      },
    },
    imports: {
      add: async () => ({ import: {} }),
      ofProject: async () => ({ forge: 'bitbucket_server', status: 'finished', repository: { fullName: 'acme/app' } }),
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

const text = 'Import failed due to an error of the forge: The forge does not answer within 20 seconds';
const credentials = { personalAccessToken: 'token', username: '', password: '', serverUsername: 'ada' };

it.each<[string, (imports: ReturnType<typeof managed>) => Promise<unknown>, object]>([
  ['an import', (imports) => imports.start(wanted as unknown as WantedImport), { errors: text }],
  ['a refresh', (imports) => imports.refresh(17, credentials, {} as never), { message: { error: text } }],
])(
  'says after 20 s to who asks for %s that a forge does not answer, and asks it no longer (G-4.19-7)',
  async (...given) => {
    const [, ask, body] = given;
    const signals: AbortSignal[] = [];
    const asked = ask(managed({ repository: never, highest: never, reserved: never }, signals));
    const refused = expect(asked).rejects.toMatchObject({ kind: 'unprocessable', body });
    await jest.advanceTimersByTimeAsync(19_999);
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
    await jest.advanceTimersByTimeAsync(1);
    await refused;
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  },
);
