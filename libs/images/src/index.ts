export { imageFilename } from './image-filename';
export { headBytes, type ImageType, imageExtensions, imageTypeOf, imageTypeOfExtension } from './image-type';
export { type ImageFacts, readImage } from './read-image';
