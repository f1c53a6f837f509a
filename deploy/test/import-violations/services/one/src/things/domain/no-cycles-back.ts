import { forth } from './no-cycles';

export const back = () => forth;
