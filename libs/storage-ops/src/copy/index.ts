export { copyDatabase, type NamedDatabase } from './copy-database.ts';
export { openSession } from './copy-session.ts';
export { checkDatabaseUse, findSuccessor, watchMove } from './database-use.ts';
