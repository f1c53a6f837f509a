export { type EncryptionConfig, encryptionVariables, openKeyring } from './configuration';
export { deriveKey, type Keyring, keyring } from './keyring';
export { readKeyFile } from './read-key-file';
export { type EncryptedRow, type EncryptedTable, type Rotation, reportRotation, rotateSecrets } from './rotate-secrets';
