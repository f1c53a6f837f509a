import { back } from './no-cycles-back';

export const forth = () => back;
