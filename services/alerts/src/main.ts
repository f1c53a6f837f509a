import { runMain } from '@switchyard/service/main';
import { migrationSets } from './migrations';

runMain('alerts', migrationSets, () => import('./service.js'));
