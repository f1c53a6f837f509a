// The package's own module, served beside this folder: a browser resolves no bare names.
export * from 'preact';
