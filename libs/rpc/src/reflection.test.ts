import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { credentials, loadPackageDefinition, type ServiceClientConstructor } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { startServer } from './index';

describe('reflection', () => {
  it.each(['v1', 'v1alpha'])('names the services of the house, by %s', async (version) => {
    const server = await startServer({ host: '127.0.0.1', port: 0, trusted: new Map(), services: [] });
    const proto = join(
      dirname(require.resolve('@grpc/reflection/package.json')),
      `build/proto/grpc/reflection/${version}`,
    );
    const { grpc } = loadPackageDefinition(
      loadSync('reflection.proto', { includeDirs: [proto], oneofs: true }),
    ) as never as {
      grpc: { reflection: Record<string, { ServerReflection: ServiceClientConstructor }> };
    };
    const Reflection = grpc.reflection[version]!.ServerReflection;
    const client = new Reflection(`127.0.0.1:${server.port}`, credentials.createInsecure());
    const ask = async (
      question: object,
    ): Promise<Record<string, { service: { name: string }[]; fileDescriptorProto: Buffer[] }>> => {
      const call = client.makeBidiStreamRequest(
        Reflection.service.ServerReflectionInfo!.path,
        Reflection.service.ServerReflectionInfo!.requestSerialize,
        Reflection.service.ServerReflectionInfo!.responseDeserialize,
      );
      call.write(question);
      const [reply] = await once(call, 'data');
      call.end();
      await once(call, 'end');
      return reply;
    };
    try {
      const { listServicesResponse } = await ask({ listServices: '*' });
      expect(listServicesResponse?.service.map(({ name }) => name)).toEqual(
        expect.arrayContaining([
          'switchyard.groups_admin.v1.AccessService',
          'switchyard.merge_requests.v1.MergeRequestService',
        ]),
      );
      const named = await ask({ fileContainingSymbol: 'switchyard.groups_admin.v1.AccessService' });
      expect(Buffer.concat(named.fileDescriptorResponse?.fileDescriptorProto ?? []).toString()).toContain(
        'AccessService',
      );
    } finally {
      client.close();
      await server.close(100);
    }
  });
});
