export { DirectoryModel } from './directory-model';
export { directoryService } from './directory-service';
export { publish } from './publish';
export { json } from './reply';
export {
  externalUrl,
  type InstallationOptions,
  type TestedService,
  type TestInstallation,
  testInstallation,
} from './test-installation';
