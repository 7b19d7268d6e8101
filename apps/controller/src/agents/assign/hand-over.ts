import type { Assignment, AssignmentWrites } from './assignment-plan.ts';

/** An assignment whose span is open. */
export interface PresentAssignment extends Assignment {
  /** Its span's begin, which lies ahead where a hand-over is under way. */
  readonly fromUs: number;
}

/** A change with the time of each of its spans, microseconds since 1970. */
export interface TimedChange {
  /** `atUs` is not before the span's begin. A span that did not begin yet has `atUs` equal to its begin. */
  readonly close: readonly (Assignment & { readonly atUs: number })[];
  /** `handedOver`: the agent may not check the device before `atUs`, because another one does. */
  readonly open: readonly (Assignment & { readonly atUs: number; readonly handedOver: boolean })[];
  readonly update: readonly Assignment[];
}

/** Both agents of a hand-over know its time this long beforehand, so that each due time has one of them. */
export const noticeUs = 3_000_000;

/*
 *   the device's agent before | the device's agent now      | the old span ends, the new one begins
 *   none                      | any                         | now
 *   any                       | none                        | now
 *   the same                  | the same, another rotation  | now
 *   connected                 | another                     | after the notice: it is handed over
 *   away                      | another                     | now
 *   A span that starts in the future ends at its start. The agent before it keeps the device until then.
 */
/** The ends and starts of the spans of a change. A device's new span starts where its old one ends. Pure. */
export function timeChange(
  { close, open, update }: AssignmentWrites<PresentAssignment>,
  { connected, nowUs }: { readonly connected: ReadonlySet<number>; readonly nowUs: number },
): TimedChange {
  const opened = new Map(open.map((one) => [one.deviceNo, one]));
  const ended = close.map((one) => {
    const next = opened.get(one.deviceNo);
    const isMove = next !== undefined && next.agentNo !== one.agentNo;
    const wantedUs = isMove && connected.has(one.agentNo) ? nowUs + noticeUs : nowUs;
    return { ...one, atUs: Math.max(wantedUs, one.fromUs) };
  });
  const endOf = new Map(ended.map((one) => [one.deviceNo, one.atUs]));
  return {
    close: ended,
    open: open.map((one) => {
      const atUs = endOf.get(one.deviceNo) ?? nowUs;
      return { ...one, atUs, handedOver: atUs > nowUs };
    }),
    update,
  };
}
