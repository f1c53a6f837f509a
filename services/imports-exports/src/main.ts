import { setFlagsFromString } from 'node:v8';
import { runMain } from '@switchyard/service/main';
import { migrationSets } from './migrations';

// What passes through the service is garbage soon. By itself V8 lets its old space grow to three times what lives in it:
// 325 MiB for an export of 100,000 components, where 202 MiB do.
setFlagsFromString('--heap-growing-percent=40');

runMain('imports-exports', migrationSets, () => import('./service.js'));
