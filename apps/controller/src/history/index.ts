export { createEventFeed, type EventFeed } from './event-feed.ts';
