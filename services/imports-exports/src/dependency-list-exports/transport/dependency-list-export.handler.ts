import { notFound } from '@switchyard/errors';
import {
  type CreateDependencyListExportRequest,
  DependencyListExportServiceService,
} from '@switchyard/protos/imports_exports/v1/dependency_list_export';
import { Access_Kind } from '@switchyard/protos/rpc/v1/identity';
import { type CallContext, entity, implement, type ServiceImplementation } from '@switchyard/rpc';
import type { SpecVersion } from '../../boms';
import type { Exports } from '../application/manage-exports';
import type { FileSigner } from '../application/sign';
import { type ExportFormat, type ExportTarget, fileNameOf, hasEnded } from '../domain/dependency-list-export';
import { presentExport } from '../presenters/dependency-list-export.presenter';

/** The target of a call; what the request names must be what was resolved and signed. */
function targetOf({ target }: CreateDependencyListExportRequest, { access }: CallContext): ExportTarget {
  const named = (id: number, kind: Access_Kind): number => {
    if (access?.id !== id || access.kind !== kind)
      throw notFound(kind === Access_Kind.KIND_GROUP ? 'Group' : 'Project');
    return id;
  };
  switch (target?.$case) {
    case 'pipeline':
      return {
        kind: 'pipeline',
        projectId: named(target.value.projectId, Access_Kind.KIND_PROJECT),
        pipelineId: target.value.pipelineId,
      };
    case 'projectId':
      return { kind: 'project', projectId: named(target.value, Access_Kind.KIND_PROJECT) };
    case 'groupId':
      return { kind: 'group', groupId: named(target.value, Access_Kind.KIND_GROUP) };
    default:
      throw notFound();
  }
}

/** Serves `DependencyListExportService`. */
export const dependencyListExportHandler = (
  exports: Exports,
  signer: Pick<FileSigner, 'publicKey'>,
  externalUrl: string,
): ServiceImplementation =>
  implement(DependencyListExportServiceService, {
    async createDependencyListExport(request, context) {
      const form = {
        format: request.format as ExportFormat,
        specVersion: request.specVersion as SpecVersion,
        sendEmail: request.sendEmail,
      };
      const made = await exports.create(targetOf(request, context), form, context.actor.userId, context.requestId);
      return entity(presentExport(made, externalUrl));
    },

    async locateDependencyListExport({ exportId }, { actor }) {
      const { kind, targetId } = await exports.get(exportId, actor.userId);
      return kind === 'group' ? { projectId: 0, groupId: targetId } : { projectId: targetId, groupId: 0 };
    },

    async getDependencyListExport({ exportId }, { actor }) {
      const found = await exports.get(exportId, actor.userId);
      return entity(presentExport(found, externalUrl), hasEnded(found) ? 0 : 202);
    },

    async getDependencyListExportSignature({ exportId }, { actor }) {
      const { file, export: one } = await exports.file(exportId, actor.userId);
      return { signature: file.signature, filename: fileNameOf(one) };
    },

    getSigningKey: async () =>
      entity({
        algorithm: 'Ed25519',
        public_key: signer.publicKey.export({ format: 'pem', type: 'spki' }),
      }),
  });
