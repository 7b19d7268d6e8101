export { createReportReader } from '../reports/report-reader.ts';
export { createEventFeed } from './event-feed.ts';
export { createEventSource } from './event-source.ts';
