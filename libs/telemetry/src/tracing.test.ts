const given = { ...process.env };
afterEach(() => {
  jest.restoreAllMocks();
  process.env = { ...given };
});

/** What a process of that environment prints as it ends; undefined when it goes on. */
function printed(environment: Record<string, string>): string | undefined {
  Object.assign(process.env, environment);
  const write = jest.spyOn(process.stderr, 'write').mockReturnValue(true);
  jest.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`ended with ${code}`);
  });
  jest.isolateModules(() => {
    const { startTelemetry } = require('.') as typeof import('.');
    try {
      startTelemetry('alerts');
    } catch (error) {
      expect((error as Error).message).toBe('ended with 78');
    }
  });
  return write.mock.calls.map(([line]) => line).join('') || undefined;
}

test.each([
  ['LOG_LEVEL', 'loud'],
  ['LOG_LEVEL', 'INFO'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'garbage'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'ftp://collector:4318'],
  ['OTEL_TRACES_SAMPLER_ARG', '7'],
  ['OTEL_TRACES_SAMPLER_ARG', 'abc'],
])('%s=%s ends the process with one line', (name, value) => {
  expect(printed({ [name]: value })).toMatch(new RegExp(`^alerts: ${name}: must be [^\\n]+\\n$`));
});

test('values of blanks count as unset', () => {
  expect(printed({ LOG_LEVEL: ' ', OTEL_EXPORTER_OTLP_ENDPOINT: ' ', OTEL_TRACES_SAMPLER_ARG: '' })).toBeUndefined();
});

test.each(['warn', ' debug '])('LOG_LEVEL=%s is taken', (level) => {
  expect(printed({ LOG_LEVEL: level })).toBeUndefined();
});
