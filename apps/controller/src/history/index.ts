export { createEventFeed } from './event-feed.ts';
export { createEventSource } from './event-source.ts';
