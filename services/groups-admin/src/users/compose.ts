import type { Area } from '@switchyard/service';
import type { DirectoryWriter } from '../directory';
import type { Edges } from '../edges';
import { users } from './application/users';
import { userStore } from './storage/user.store';
import { userHandler } from './transport/user.handler';

/** Users: their profiles, states and deletion. */
export function composeUsers({ config, db, observe }: Edges, directory: DirectoryWriter): Area {
  const useCases = observe('users', users(userStore(db, directory)));
  return { services: [userHandler(useCases, config.SWITCHYARD_EXTERNAL_URL)] };
}
