export { createEventFeed } from './event-feed.ts';
export { createEventSource } from './event-source.ts';
export { createReportReader } from './report-reader.ts';
