export { composeAlerts } from './compose';
