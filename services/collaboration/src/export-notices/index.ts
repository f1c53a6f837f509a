export { composeExportNotices } from './compose';
