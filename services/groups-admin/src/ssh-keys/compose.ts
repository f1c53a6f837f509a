import type { Area } from '@switchyard/service';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import { findUser } from '../users';
import { manageDeployKeys } from './application/manage-deploy-keys';
import { manageSshKeys } from './application/manage-ssh-keys';
import { deployKeyStore } from './storage/deploy-key.store';
import { sshKeyStore } from './storage/ssh-key.store';
import { deployKeyHandler } from './transport/deploy-key.handler';
import { sshKeyHandler } from './transport/ssh-key.handler';

/** SSH keys of users, and deploy keys. */
export function composeSshKeys({ config, db, observe }: Edges, writer: DirectoryWriter): Area {
  const given = { keys: sshKeyStore(db, writer), findUser: (id: number) => findUser(db, id, 0) };
  const keys = observe('ssh-keys', manageSshKeys(given));
  const deployKeys = observe('deploy-keys', manageDeployKeys({ keys: deployKeyStore(db, writer) }));
  return { services: [sshKeyHandler(keys, config.SWITCHYARD_EXTERNAL_URL), deployKeyHandler(deployKeys)] };
}
