import { isAppError } from '@switchyard/errors';
import type { CallContext, ForwardedEndpoint, ServiceImplementation, Sibling } from '@switchyard/rpc';
import type { StorageProcess } from '../../edges';
import type { ServedElsewhere } from '../application/elsewhere';

/** Name of this service as a caller. */
export const serviceName = 'merge-requests';

/** Another process of the service, which has the volume of a storage. */
export interface OtherProcess {
  readonly sibling: Sibling;
  /** URL of its internal HTTP server. */
  readonly http: string;
}

/** Finds the processes of those projects that this one does not answer for. */
export type ProcessesOf = (projectIds: readonly number[]) => Promise<ReadonlyMap<number, OtherProcess>>;

/**
 * The processes of the storages that are not served here, by storage.
 * @param others these storages
 * @throws Error with one line when one of these has no process
 */
export const otherProcesses = (
  others: readonly string[],
  addresses: ReadonlyMap<string, StorageProcess>,
  sibling: (address: string) => Sibling,
): ReadonlyMap<string, OtherProcess> =>
  new Map(
    others.map((storage): [string, OtherProcess] => {
      const found = addresses.get(storage);
      if (found === undefined) throw new Error(`SWITCHYARD_STORAGE_PEERS: has no process for the storage ${storage}`);
      return [storage, { sibling: sibling(found.grpc), http: found.http }];
    }),
  );

/** @param elsewhere those that this process does not answer for */
export const processesBy =
  (elsewhere: ServedElsewhere, processes: ReadonlyMap<string, OtherProcess>): ProcessesOf =>
  async (projectIds) =>
    new Map(
      [...(await elsewhere(projectIds))].flatMap(([id, storage]) => {
        const found = processes.get(storage);
        return found === undefined ? [] : [[id, found]];
      }),
    );

/**
 * The project that decides where a request is answered: the one to which what it makes will belong, if that is another one.
 * One that names a storage is for the process that it is sent to.
 */
function projectOf(request: object): number {
  if ('storage' in request) return 0;
  if ('targetProjectId' in request && typeof request.targetProjectId === 'number' && request.targetProjectId > 0)
    return request.targetProjectId;
  return 'projectId' in request && typeof request.projectId === 'number' ? request.projectId : 0;
}

/**
 * Services whose calls are answered where the repository of their project lies: those whose request has a
 * `project_id`. Others read the database alone, or ask for themselves.
 */
export const relayedServices = (
  services: readonly ServiceImplementation[],
  processesOf: ProcessesOf | undefined,
): readonly ServiceImplementation[] =>
  processesOf === undefined
    ? services
    : services.map((service) => ({
        ...service,
        elsewhere: async (request) => {
          const projectId = projectOf(request);
          return projectId === 0 ? undefined : (await processesOf([projectId])).get(projectId)?.sibling.relay;
        },
      }));

/** The same for endpoints of the internal HTTP port. */
export const relayedEndpoints = (
  endpoints: readonly ForwardedEndpoint[],
  processesOf: ProcessesOf | undefined,
): readonly ForwardedEndpoint[] =>
  processesOf === undefined
    ? endpoints
    : endpoints.map((endpoint) =>
        endpoint.target === undefined
          ? { ...endpoint, elsewhere: async (projectId) => (await processesOf([projectId])).get(projectId) }
          : endpoint,
      );

/**
 * Answers a call about several projects in parts, each where its repositories lie.
 * @param here answers for items of this process
 * @param there has another process answer for its items
 * @param away what stands for the items of a process that is away (`home`); without it the call fails
 * @throws AppError unavailable
 */
export async function inParts<Item, Part>(
  { caller }: Pick<CallContext, 'caller'>,
  processesOf: ProcessesOf | undefined,
  items: readonly Item[],
  answer: {
    readonly projectOf: (item: Item) => number;
    readonly here: (items: readonly Item[]) => Promise<Part>;
    readonly there: (sibling: Sibling, items: readonly Item[]) => Promise<Part>;
    readonly away?: (items: readonly Item[], home: OtherProcess) => Part;
  },
): Promise<Part[]> {
  // Another process of the service has found that they lie here.
  if (processesOf === undefined || caller === serviceName) return [await answer.here(items)];
  const processes = await processesOf([...new Set(items.map(answer.projectOf))]);
  const parts = new Map<OtherProcess | undefined, Item[]>();
  for (const item of items) {
    const home = processes.get(answer.projectOf(item));
    parts.set(home, [...(parts.get(home) ?? []), item]);
  }
  const askThere = (home: OtherProcess, own: readonly Item[]): Promise<Part> =>
    answer.there(home.sibling, own).catch((error: unknown) => {
      if (answer.away === undefined || !isAppError(error, 'unavailable')) throw error;
      return answer.away(own, home);
    });
  return Promise.all([...parts].map(([home, own]) => (home === undefined ? answer.here(own) : askThere(home, own))));
}
