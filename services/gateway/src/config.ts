import { isIP } from 'node:net';
import {
  decimalNumber,
  drainVariables,
  hostPort,
  parseEnvironment,
  port,
  rate,
  webAddress,
  wholeNumber,
  z,
} from '@switchyard/config';
import { type RoutedService, services } from './routes';

const atOnce = (usual: number) => wholeNumber(1, 10_000).default(usual);

const proxyNames = ['loopback', 'linklocal', 'uniquelocal'];

/** An address, a range in CIDR notation, or a name that Express knows. */
function isProxy(written: string): boolean {
  const [address = '', bits, ...rest] = written.split('/');
  const version = isIP(address);
  if (version === 0) return proxyNames.includes(written);
  return (
    bits === undefined ||
    // Express refuses the range of all addresses.
    (rest.length === 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128))
  );
}

/** `none`, or a list of proxies; what Express takes. */
const proxies = z
  .string()
  .default('none')
  .transform((written) => (written.trim() === 'none' ? [] : written.split(',').map((one) => one.trim())))
  .refine((list) => list.every(isProxy), `must be none, or a list of addresses, ranges, ${proxyNames.join(', ')}`)
  .transform((list) => (list.length === 0 ? (false as const) : list.join(',')));

const variables = {
  ...drainVariables,
  HOST: z.string().default('127.0.0.1'),
  PORT: port().default(8080),
  /** Internal HTTP server: probes and metrics. Its address is apart from HOST, which may be every interface. */
  HTTP_HOST: z.string().default('127.0.0.1'),
  HTTP_PORT: port().default(0),
  /** Whose `X-Forwarded-For` is believed. */
  SWITCHYARD_TRUSTED_PROXIES: proxies,
  /** Address of the instance as clients see it, without a slash at its end. */
  SWITCHYARD_EXTERNAL_URL: webAddress().optional(),
  SWITCHYARD_TIER: z.enum(['free', 'premium', 'ultimate']).default('ultimate'),
  SWITCHYARD_IDENTITY_KEY_FILE: z.string(),
  /** Request throttle of signed-in callers, `<requests>/<seconds>`; off when unset (G-7-8). */
  SWITCHYARD_THROTTLE_AUTHENTICATED: rate().optional(),
  /** Request throttle of anonymous callers, per address. */
  SWITCHYARD_THROTTLE_UNAUTHENTICATED: rate().optional(),
  /** Factor on every application limit; 0 turns them off. */
  SWITCHYARD_APPLICATION_LIMITS: decimalNumber(0, 1_000).default(1),
  /**
   * Requests that read, and those that write, which one service is given at a time; the others wait, or are refused.
   */
  SWITCHYARD_READS_AT_ONCE: atOnce(32),
  SWITCHYARD_WRITES_AT_ONCE: atOnce(12),
  /** Payloads a project may receive, `<requests>/<seconds>`; off when unset (G-4.12-4). */
  SWITCHYARD_ALERT_LIMIT: rate().optional(),
  /** Bytes of the largest payload that is read. */
  SWITCHYARD_ALERT_PAYLOAD_LIMIT: wholeNumber(1_024, 64 << 20).default(1 << 20),
  /** Whether each public request has a line in the log. */
  SWITCHYARD_ACCESS_LOG: z.stringbool().default(true),
  /** Adds `X-Switchyard-Cost` to replies. */
  SWITCHYARD_SHOW_COST: z.stringbool().default(false),
};

/** The variable with the gRPC address of a service. */
const addressVariable = (service: string) => `${constant(service)}_ADDRESS` as const;

/** The variable with the URL of the internal HTTP server of a service. */
const httpVariable = (service: string) => `${constant(service)}_HTTP_URL` as const;

const constant = (service: string): string => service.toUpperCase().replaceAll('-', '_');

/** Where the services with routes are: each has to be named. */
const addressVariables = () =>
  Object.fromEntries(
    services.flatMap(({ name, forwards }) => [
      [addressVariable(name), hostPort()],
      ...(forwards ? [[httpVariable(name), webAddress()]] : []),
    ]),
  );

/** The gateway's environment, parsed. */
export type Config = z.infer<z.ZodObject<typeof variables>> &
  Readonly<Record<ReturnType<typeof addressVariable | typeof httpVariable>, string>>;

const allVariables = () => ({ ...variables, ...addressVariables() });

/** Names of all variables that the gateway reads. */
export const variableNames = (): string[] => Object.keys(allVariables());

/** The gateway's environment; see docs/operations.md. */
export const readConfig = (environment: NodeJS.ProcessEnv = process.env): Config =>
  parseEnvironment(allVariables(), environment) as unknown as Config;

/**
 * Addresses of the services by name: of their gRPC servers, and of the internal HTTP servers that the gateway forwards
 * to.
 */
export const addressesOf = (config: Config) => ({
  grpc: addresses(services, (name) => config[addressVariable(name)]),
  http: addresses(
    services.filter(({ forwards }) => forwards),
    (name) => config[httpVariable(name)],
  ),
});

const addresses = (of: readonly RoutedService[], at: (name: string) => string | undefined): Record<string, string> =>
  Object.fromEntries(of.map(({ name }) => [name, at(name) ?? '']));
