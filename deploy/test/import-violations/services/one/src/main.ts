import { compose } from './compose';

compose();
