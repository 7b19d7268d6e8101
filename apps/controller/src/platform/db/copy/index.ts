export { copyDatabase, type Place } from './copy-database.ts';
export { openSession } from './session.ts';
export { watchMove } from './watch-move.ts';
export { askDatabase, movedMark } from './welcome.ts';
