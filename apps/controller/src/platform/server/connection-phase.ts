/** The phase of a connection; `sinceMs` is monotonic. */
export type ConnectionPhase =
  /** Accepted, no byte came yet. */
  | { readonly kind: 'silent'; readonly sinceMs: number }
  /** A TLS handshake began. */
  | { readonly kind: 'handshake'; readonly sinceMs: number }
  /** A request is expected or comes in. `begun`: how many had begun before it. */
  | { readonly kind: 'receiving'; readonly sinceMs: number; readonly begun: number }
  /** The API works on an answer, or streams one. */
  | { readonly kind: 'answering' }
  /** The answer is whole; `bytes` of it wait for the client to take them. */
  | { readonly kind: 'sending'; readonly sinceMs: number; readonly bytes: number }
  /** Between requests; `bytesRead` counts the bytes that had come by then. */
  | { readonly kind: 'idle'; readonly sinceMs: number; readonly bytesRead: number };

/** The observable facts of a connection that speaks HTTP. */
export interface ConnectionFacts {
  /** Requests that were handed to the API; those that wait for the answer before them are not counted. */
  readonly begun: number;
  /** Of these, how many have not come to their end. */
  readonly incomplete: number;
  /** Of these, how many are not answered to the end. */
  readonly unanswered: number;
  /** All that are not answered to the end have been handed over whole. */
  readonly isHandedOver: boolean;
  /** Bytes that wait to be taken by the client. */
  readonly pendingBytes: number;
  /** Bytes that came so far. */
  readonly bytesRead: number;
}

/** How long a connection may stay in a phase, milliseconds. */
export interface PhaseLimits {
  readonly firstByteMs: number;
  readonly handshakeMs: number;
  /** For a request, header and body, from the moment it can come (or, after an idle time, from its first byte). */
  readonly requestMs: number;
  readonly idleMs: number;
  /** For a whole answer to be taken, and a second more for each `answerBytesPerSecond`. */
  readonly answerMs: number;
  readonly answerBytesPerSecond: number;
}

/**
 * A connection that never sends a complete request is closed after firstByteMs + handshakeMs + requestMs: 70 seconds.
 */
export const phaseLimits: PhaseLimits = {
  firstByteMs: 10_000,
  handshakeMs: 10_000,
  requestMs: 50_000,
  idleMs: 65_000,
  answerMs: 60_000,
  answerBytesPerSecond: 32_768,
};

/** The phase of a connection that speaks HTTP, from its phase before and the facts of now. */
export function nextPhase(before: ConnectionPhase, facts: ConnectionFacts, nowMs: number): ConnectionPhase {
  const { begun, bytesRead } = facts;
  if (facts.incomplete > 0)
    return before.kind === 'receiving' ? before : { kind: 'receiving', sinceMs: nowMs, begun };
  if (facts.unanswered > 0) {
    if (!facts.isHandedOver) return { kind: 'answering' };
    return before.kind === 'sending'
      ? before
      : { kind: 'sending', sinceMs: nowMs, bytes: facts.pendingBytes };
  }
  switch (before.kind) {
    case 'silent':
    case 'handshake':
      return { kind: 'receiving', sinceMs: nowMs, begun };
    case 'receiving':
      // Nothing is open: either its header is still on the way, or it came and was answered since the last review.
      return begun > before.begun ? { kind: 'idle', sinceMs: nowMs, bytesRead } : before;
    case 'answering':
    case 'sending':
      return { kind: 'idle', sinceMs: nowMs, bytesRead };
    case 'idle':
      // Any byte that came since, even of a line break, begins a request.
      return bytesRead > before.bytesRead ? { kind: 'receiving', sinceMs: nowMs, begun } : before;
  }
}

/** Whether a connection has been in its phase for too long. */
export function isOverdue(phase: ConnectionPhase, nowMs: number, limits: PhaseLimits): boolean {
  switch (phase.kind) {
    case 'silent':
      return nowMs - phase.sinceMs >= limits.firstByteMs;
    case 'handshake':
      return nowMs - phase.sinceMs >= limits.handshakeMs;
    case 'receiving':
      return nowMs - phase.sinceMs >= limits.requestMs;
    case 'answering':
      return false;
    case 'sending':
      return nowMs - phase.sinceMs >= limits.answerMs + (1000 * phase.bytes) / limits.answerBytesPerSecond;
    case 'idle':
      return nowMs - phase.sinceMs >= limits.idleMs;
  }
}
