import type { Area } from '@switchyard/service';
import type { Given } from '../config';
import type { DirectoryWriter } from '../directory';
import { users } from './application/users';
import { userStore } from './storage/user.store';
import { userHandler } from './transport/user.handler';

/** Users: their profiles, states and deletion. */
export function composeUsers({ config, db, observe }: Given, directory: DirectoryWriter): Area {
  const useCases = observe('users', users(userStore(db, directory)));
  return { services: [userHandler(useCases, config.SWITCHYARD_EXTERNAL_URL)] };
}
