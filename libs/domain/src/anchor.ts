import { z } from 'zod';

/**
 * The anchors of a Location as they are stored and shown, from near to far. Without Networks, an anchor covers
 * everything outside the agents' subnets.
 */
export const storedAnchors = z.array(
  z.object({ Name: z.string(), Target: z.string(), Networks: z.array(z.string()) }),
);

export type StoredAnchor = z.output<typeof storedAnchors>[number];

/** The maximum number of anchors of a Location. */
export const maxAnchors = 8;

/** The port of a stored Target (`192.0.2.1:53`, `[2001:db8::1]:53`); 0 if it has none. */
export function portOfAnchor(target: string): number {
  return Number(/^(?:\[[^\]]*\]|[^:]*):(\d+)$/.exec(target)?.[1] ?? 0);
}

/** The report of a connected agent about the anchors of its Location, stored in `agents.anchor_states`. */
export const storedAnchorReports = z.array(
  z.object({
    target: z.string(),
    /** `new`: the agent has not checked it yet. `unchecked`: the agent cannot check it. */
    state: z.enum(['new', 'answers', 'silent', 'unchecked']),
    /** Start of the state, microseconds since 1970. */
    sinceUs: z.number(),
    /** The last check in words. */
    text: z.string(),
  }),
);

export type AnchorReport = z.output<typeof storedAnchorReports>[number];

/** The anchors of a Location with an open alert, stored in `locations.failed_anchors`. */
export const storedFailedAnchors = z.array(
  z.object({ name: z.string(), target: z.string(), sinceUs: z.number() }),
);

export type FailedAnchor = z.output<typeof storedFailedAnchors>[number];
