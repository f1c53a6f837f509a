import { attachmentTests } from './project-import/attachments';
import { courseTests } from './project-import/course';
import { forgebTests } from './project-import/forgeb';
import { prepareImports } from './project-import/harness';
import { oddForgeTests } from './project-import/odd-forge';
import { peopleTests } from './project-import/people';
import { pullRequestTests } from './project-import/pull-requests';
import { refreshTests } from './project-import/refresh';

prepareImports();

courseTests();
oddForgeTests();
peopleTests();
pullRequestTests();
attachmentTests();
refreshTests();
forgebTests();
