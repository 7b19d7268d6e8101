export { createRecordEvents, recordEvents } from './record-events.ts';
