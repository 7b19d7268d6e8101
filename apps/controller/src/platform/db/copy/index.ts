export { copyDatabase, type Place } from './copy-database.ts';
export { openSession } from './session.ts';
export { askDatabase, movedMark, watchMove } from './welcome.ts';
