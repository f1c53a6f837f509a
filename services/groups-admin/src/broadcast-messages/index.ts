export { composeBroadcastMessages } from './compose';
