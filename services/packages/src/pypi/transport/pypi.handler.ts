import { PypiServiceService } from '@switchyard/protos/packages/v1/pypi';
import { type CallContext, implement, nothing, type ServiceImplementation } from '@switchyard/rpc';
import { effectiveLevel } from '../../protection';
import type { PypiFiles } from '../application/manage-pypi-files';

/** Serves `PypiService`; the gateway has resolved the project that requests name. */
export const pypiHandler = (files: PypiFiles): ServiceImplementation =>
  implement(PypiServiceService, {
    async yankVersion({ reason, ...version }, context) {
      await files.yank(version, reason, levelOf(context));
      return nothing();
    },

    async unyankVersion(version, context) {
      await files.yank(version, undefined, levelOf(context));
      return nothing();
    },
  });

const levelOf = ({ actor, access }: CallContext): number => effectiveLevel(actor, access?.level);
