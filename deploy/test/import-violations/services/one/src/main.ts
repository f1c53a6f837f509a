import { service } from './service';

service.run();
