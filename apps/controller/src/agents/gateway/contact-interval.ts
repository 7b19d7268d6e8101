/**
 * Agents send a heartbeat every 10 s, and gateways store it every 4 s. So a stream whose end no gateway saw was up at
 * most this much longer.
 */
export const contactWithinUs = 15_000_000;
