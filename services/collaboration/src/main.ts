import { runMain } from '@switchyard/service/main';
import { migrationSets } from './migrations';

runMain('collaboration', migrationSets, () => import('./service.js'));
