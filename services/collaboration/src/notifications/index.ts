export { composeNotifications, type Notifications } from './compose';
