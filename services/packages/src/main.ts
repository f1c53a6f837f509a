import { runMain } from '@switchyard/service/main';
import { migrationSets } from './migrations';

runMain('packages', migrationSets, () => import('./service.js'));
