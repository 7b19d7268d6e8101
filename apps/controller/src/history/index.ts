export { createEventFeed } from './event-feed.ts';
