import { readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import type { Server } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { ReflectionService } from '@grpc/reflection';

/** Adds server reflection over every proto of the house, so that `grpcurl` needs no files (D0). */
export function addReflection(server: Server): void {
  const root = dirname(require.resolve('@switchyard/protos/package.json'));
  const files = readdirSync(join(root, 'switchyard'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.proto'))
    .map((name) => relative(root, join(root, 'switchyard', name)));
  if (files.length === 0) return;
  const definition = loadSync(files, { includeDirs: [root], keepCase: true });
  new ReflectionService(definition).addToServer(server);
}
