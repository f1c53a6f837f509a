import { runMain } from '@switchyard/service/main';
import { migrationSets } from './migrations';

runMain('groups-admin', migrationSets, () => import('./service.js'));
