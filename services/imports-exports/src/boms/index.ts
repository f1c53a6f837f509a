export { type Component, componentKey, mergeComponents, type Property } from './domain/component';
export { hashOf, integrityHashes, licenseOf, purlOf, textOf } from './domain/component-texts';
export { type BomPart, type FoundInReport, linksOf, readCycloneDx, readParts } from './domain/read-cyclonedx';
export type { JsonPart } from './domain/split-json';
export { type Bom, type BomHead, type SpecVersion, writeCycloneDx } from './presenters/cyclonedx';
export { writeSpdx } from './presenters/spdx';
export { isLicenseId } from './presenters/spdx-licenses';
