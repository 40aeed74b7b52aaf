// The client library, in a bundle of its own that is loaded only if a database is configured.

export { default as postgres } from 'postgres';
