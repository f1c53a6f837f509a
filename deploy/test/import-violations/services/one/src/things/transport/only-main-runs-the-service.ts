import { service } from '../../service';

export const ran = service.run();
