export { createRecordEvents, type RecordEvents, recordEvents } from './record-events.ts';
