import { runMain } from '@switchyard/service/main';
import { migrationSets } from './migrations';

runMain('imports-exports', migrationSets, () => import('./service.js'));
