import { SERVICES } from '../../../../../deploy/catalogue.mjs';
import { POSTGRES } from '../../../../../deploy/local/services.mjs';

/** The services of an installation. */
export const services: readonly string[] = SERVICES.map(({ name }) => name);

/** Every process of an installation, with the launcher that starts the rest. */
export const processes: readonly string[] = [...services, POSTGRES, 'launcher'];

/** The databases of services, as `System.query` names them. */
export const databases: readonly string[] = SERVICES.flatMap(
  ({ database }) => database?.replace('switchyard_', '') ?? [],
);

/** The databases that hold a copy of the directory. */
export const replicas: readonly string[] = databases.filter((database) => database !== 'groups_admin');
