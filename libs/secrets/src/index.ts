export { type EncryptionConfig, encryptionVariables, openKeyring } from './configuration';
export { following } from './following';
export { deriveKey, type Keyring, keyring } from './keyring';
export { followKeyFile, type Keys, readKeyFile } from './read-key-file';
export { type EncryptedRow, type EncryptedTable, type Rotation, reportRotation, rotateSecrets } from './rotate-secrets';
