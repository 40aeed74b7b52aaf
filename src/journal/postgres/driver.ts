// The client library, in a bundle of its own that is read only when a database is configured.

export { default as postgres } from 'postgres';
