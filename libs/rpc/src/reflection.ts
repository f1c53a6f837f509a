import { readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { MethodDefinition, Server, ServiceDefinition, UntypedHandleCall } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';

type Method = MethodDefinition<unknown, unknown>;

/** The reflection service of a path: how its messages are read and written, and what answers them. */
interface Reflected {
  readonly method: Method;
  readonly answer: UntypedHandleCall;
}

const paths = ['v1', 'v1alpha'].map((version) => `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`);

/** Reads every proto of the house, and what would be served of them by path. */
function reflect(): ReadonlyMap<string, Reflected> {
  const root = dirname(require.resolve('@switchyard/protos/package.json'));
  const files = readdirSync(join(root, 'switchyard'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.proto'))
    .map((name) => relative(root, join(root, 'switchyard', name)));
  const found = new Map<string, Reflected>();
  const collector: Pick<Server, 'addService'> = {
    addService(definition: ServiceDefinition, answers) {
      for (const [name, method] of Object.entries(definition)) {
        found.set(method.path, { method, answer: answers[name] as UntypedHandleCall });
      }
    },
  };
  new ReflectionService(loadSync(files, { includeDirs: [root], keepCase: true })).addToServer(collector as Server);
  return found;
}

/**
 * Adds server reflection over all protos, so that `grpcurl` needs no files (D0). The protos are read at the first
 * query: reading them took nearly half of the start of a process, and the queries are rare.
 */
export function addReflection(server: Server): void {
  let all: ReadonlyMap<string, Reflected> | undefined;
  const reflected = (path: string): Reflected => {
    all ??= reflect();
    const one = all.get(path);
    if (one === undefined) throw new Error(`no reflection at ${path}`);
    return one;
  };
  for (const path of paths) {
    const method: Method = {
      path,
      requestStream: true,
      responseStream: true,
      requestSerialize: (value) => reflected(path).method.requestSerialize(value),
      requestDeserialize: (bytes) => reflected(path).method.requestDeserialize(bytes),
      responseSerialize: (value) => reflected(path).method.responseSerialize(value),
      responseDeserialize: (bytes) => reflected(path).method.responseDeserialize(bytes),
    };
    const answer = (call: never) => (reflected(path).answer as (call: never) => void)(call);
    server.addService({ serverReflectionInfo: method }, { serverReflectionInfo: answer as UntypedHandleCall });
  }
}
