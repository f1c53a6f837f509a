export { isBackupRunning } from './backup-pause';
export { type Repeating, repeat } from './repeat';
export { type WorkedOff, workOff } from './work-off';
