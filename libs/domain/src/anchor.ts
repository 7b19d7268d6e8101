import { z } from 'zod';
import { resultCode } from './result-code.ts';

/** The anchors of a Location as they are stored and shown, near to far. No Networks: everything outside of the agents' own subnets. */
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

/** The text of a check that failed behind a silent anchor; `text` is what the check itself found. */
export function behindAnchorText({ name, target }: { name: string; target: string }, text: string): string {
  return `anchor ${name} (${target}) does not answer, ${liesBehind} (this check: ${text})`;
}

/** Whether a check has such a text: the event of the anchor covers it, so its device has none. */
export function isBehindAnchor({ code, text }: { readonly code: number; readonly text: string }): boolean {
  return code === resultCode.agent && text.startsWith('anchor ') && text.includes(`, ${liesBehind} (`);
}

const liesBehind = 'and this device lies behind it';

/** What a connected agent reported about the anchors of its Location, as `agents.anchor_states` holds it. */
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
