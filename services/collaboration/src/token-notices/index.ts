export { composeTokenNotices } from './compose';
