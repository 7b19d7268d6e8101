/** The phase of a connection; `sinceMs` is monotonic. */
export type ConnectionPhase =
  /** Accepted; no byte has arrived. */
  | { readonly kind: 'silent'; readonly sinceMs: number }
  /** A TLS handshake has begun. */
  | { readonly kind: 'handshake'; readonly sinceMs: number }
  /** A request is expected or arrives. `begun`: the number of earlier requests. */
  | { readonly kind: 'receiving'; readonly sinceMs: number; readonly begun: number }
  /** The API works on an answer, or streams one. */
  | { readonly kind: 'answering' }
  /** The answer is complete; the client has not read `bytes` of it. */
  | { readonly kind: 'sending'; readonly sinceMs: number; readonly bytes: number }
  /** Between requests. `bytesRead`: the bytes that had arrived by then. */
  | { readonly kind: 'idle'; readonly sinceMs: number; readonly bytesRead: number };

/** The observable facts of an HTTP connection. */
export interface ConnectionFacts {
  /** Requests that the API has received; requests that wait for the previous answer do not count. */
  readonly begun: number;
  /** The number of these whose bodies are incomplete. */
  readonly incomplete: number;
  /** The number of these that are not fully answered. */
  readonly unanswered: number;
  /** All answers that are not fully sent are complete. */
  readonly isHandedOver: boolean;
  /** Bytes that the client has not read. */
  readonly pendingBytes: number;
  /** Bytes that have arrived. */
  readonly bytesRead: number;
}

/** The maximum time of a connection in each phase, milliseconds. */
export interface PhaseLimits {
  readonly firstByteMs: number;
  readonly handshakeMs: number;
  /** For a request, header and body, from the time when it can arrive (after an idle time, from its first byte). */
  readonly requestMs: number;
  readonly idleMs: number;
  /** For the client to read an answer, plus a second for each `answerBytesPerSecond`. */
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

/** The phase of an HTTP connection, from its previous phase and the present facts. */
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
      // No request is open: its header has not arrived, or it was answered since the last review.
      return begun > before.begun ? { kind: 'idle', sinceMs: nowMs, bytesRead } : before;
    case 'answering':
    case 'sending':
      return { kind: 'idle', sinceMs: nowMs, bytesRead };
    case 'idle':
      // Any new byte, even of a line break, begins a request.
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
