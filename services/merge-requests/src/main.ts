import { runMain } from '@switchyard/service/main';
import { migrationSets } from './migrations';

runMain('merge-requests', migrationSets, () => import('./service.js'));
