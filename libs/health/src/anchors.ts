import type { AnchorReport, BaseStatus, FailedAnchor, StoredAnchor } from '@vantage/domain';

/** The state of an anchor for its Location's agents. */
export interface AnchorStatus {
  readonly state: BaseStatus;
  /** Start of Down, microseconds since 1970; 0 for other states. */
  readonly sinceUs: number;
  /** The reason for Down or Unknown; null: it is Up, or no agent reports a reason. */
  readonly reason: string | null;
}

/** The alert of an anchor begins (`down`) or ends (`up`). */
export type AnchorChange =
  | { readonly kind: 'down'; readonly anchor: FailedAnchor; readonly reason: string }
  /** `removed`: it is no longer an anchor of the Location. `unchecked`: no agent can check it now. */
  | {
      readonly kind: 'up';
      readonly anchor: FailedAnchor;
      readonly because: 'answers' | 'removed' | 'unchecked';
    };

/*
 * The state follows from the reports of the connected agents of the Location. An agent's report covers its last two
 * checks (agent: anchor-state.ts):
 *
 *   reports                                   | state
 *   one or more: it answers                   | Up
 *   one or more: silent, none: it answers     | Down, since the last of these agents lost it
 *   only: the agent cannot check it           | Unknown
 *   none, or not checked yet                  | Unknown
 */

/** The state of one anchor. Pure. */
export function anchorStatus(
  { Target }: Pick<StoredAnchor, 'Target'>,
  agents: readonly (readonly AnchorReport[])[],
): AnchorStatus {
  const reports = agents.flatMap((anchors) => anchors.filter(({ target }) => target === Target));
  if (reports.some(({ state }) => state === 'answers')) return { state: 'Up', sinceUs: 0, reason: null };
  const silent = reports.filter(({ state }) => state === 'silent');
  const [last] = silent.toSorted((a, b) => b.sinceUs - a.sinceUs);
  if (last !== undefined) return { state: 'Down', sinceUs: last.sinceUs, reason: last.text };
  const unchecked = reports.find(({ state }) => state === 'unchecked');
  return { state: 'Unknown', sinceUs: 0, reason: unchecked?.text ?? null };
}

/*
 * The alerts of a Location's anchors. "Reported" means that a connected agent reports more than "not checked yet".
 *
 *   alert open | anchor                                       | decision
 *   no         | Down, no nearer anchor is Down               | down
 *   no         | Down behind another Down; Up; Unknown        | nothing: the failure follows from the nearer anchor
 *   yes        | Up                                           | up (answers)
 *   yes        | Unknown, reported: no agent can check it     | up (unchecked)
 *   yes        | Unknown, not reported: no agent is connected | nothing: the state is not known
 *   yes        | Down                                         | nothing, also when a nearer anchor fails later
 *   yes        | no longer in the list                        | up (removed)
 */

/** Decides which alerts of anchors begin and end; `failed` are the anchors with an open alert. Pure. */
export function decideAnchors(
  anchors: readonly StoredAnchor[],
  agents: readonly (readonly AnchorReport[])[],
  failed: readonly FailedAnchor[],
): { readonly failed: readonly FailedAnchor[]; readonly changes: readonly AnchorChange[] } {
  const changes: AnchorChange[] = [];
  const next: FailedAnchor[] = [];
  let isBehindDown = false;
  for (const anchor of anchors) {
    const { state, sinceUs, reason } = anchorStatus(anchor, agents);
    const open = failed.find(({ target }) => target === anchor.Target);
    if (open !== undefined) {
      const because = endOf(state, reason);
      if (because === undefined) next.push(open);
      else changes.push({ kind: 'up', anchor: open, because });
    } else if (state === 'Down' && !isBehindDown) {
      const fresh = { name: anchor.Name, target: anchor.Target, sinceUs };
      next.push(fresh);
      changes.push({ kind: 'down', anchor: fresh, reason: reason ?? '' });
    }
    isBehindDown ||= state === 'Down';
  }
  const removed = failed.filter(({ target }) => !anchors.some(({ Target }) => Target === target));
  changes.push(...removed.map((anchor) => ({ kind: 'up', anchor, because: 'removed' }) as const));
  return { failed: next, changes };
}

function endOf(state: AnchorStatus['state'], reason: string | null): 'answers' | 'unchecked' | undefined {
  if (state === 'Up') return 'answers';
  return state === 'Unknown' && reason !== null ? 'unchecked' : undefined;
}
