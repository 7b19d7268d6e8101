import { sql } from 'kysely';

/** The start of the transaction by the clock of the database, which all controllers share; microseconds since 1970. */
export const databaseUs = sql<number>`(extract(epoch from now()) * 1000000)::bigint`;
