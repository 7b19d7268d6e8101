import { z } from 'zod';

/**
 * The anchors of a Location as they are stored and shown, near to far. No Networks: everything outside of the agents'
 * own subnets.
 */
export const storedAnchors = z.array(
  z.object({ Name: z.string(), Target: z.string(), Networks: z.array(z.string()) }),
);

/** One of them. */
export type StoredAnchor = z.output<typeof storedAnchors>[number];

/** The most anchors of a Location. */
export const mostAnchors = 8;

/** The port of a stored Target (`192.0.2.1:53`, `[2001:db8::1]:53`); 0 where it is an address alone. */
export function portOfAnchor(target: string): number {
  return Number(/^(?:\[[^\]]*\]|[^:]*):(\d+)$/.exec(target)?.[1] ?? 0);
}

/** The report of a connected agent about the anchors of its Location, as `agents.anchor_states` holds it. */
export const storedAnchorReports = z.array(
  z.object({
    target: z.string(),
    /** `new`: the agent has not checked it yet. `unchecked`: the agent cannot check it. */
    state: z.enum(['new', 'answers', 'silent', 'unchecked']),
    /** Begin of the state, microseconds since 1970. */
    sinceUs: z.number(),
    /** The last check in words. */
    text: z.string(),
  }),
);

/** One of them. */
export type AnchorReport = z.output<typeof storedAnchorReports>[number];

/** The anchors of a Location that have an open alert, as `locations.failed_anchors` holds them. */
export const storedFailedAnchors = z.array(
  z.object({ name: z.string(), target: z.string(), sinceUs: z.number() }),
);

/** One of them. */
export type FailedAnchor = z.output<typeof storedFailedAnchors>[number];
