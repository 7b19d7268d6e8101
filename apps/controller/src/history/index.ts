export { createEventFeed } from './event-feed.ts';
export { readEventsOf } from './event-routes.ts';
