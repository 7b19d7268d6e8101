import type { AnchorReport } from '@vantage/domain';
import type { Tables } from '@vantage/storage';
import type { Kysely } from 'kysely';

/** The status from an agent's heartbeats since the last report. */
export interface AgentSessionStatus {
  readonly agentNo: number;
  readonly sessionId: string;
  readonly lastSeenUs: number;
  readonly clockOffsetUs: number;
  readonly backlogRecords: number;
  readonly latenessP50Ms: number;
  readonly latenessP99Ms: number;
  /** Since the last report. */
  readonly checksSkipped: number;
  readonly offlineReason: string | null;
  readonly anchors: readonly AnchorReport[];
}

/** Stores the presence of agents: their sessions and the status that they report. Times are microseconds since 1970. */
export interface AgentPresence {
  /** The agent's row names this session from now on. */
  connect(
    trx: Kysely<Tables>,
    session: {
      readonly agentNo: number;
      readonly sessionId: string;
      readonly counter: number;
      readonly gatewayId: string;
      readonly version: string;
      readonly hostName: string;
      readonly bootId: string;
      /** The parcel that its host needs; null: it cannot upgrade itself. */
      readonly architecture: string | null;
      readonly upgradeFault: string | null;
      readonly capacity: number;
      /** It runs the traceroutes of run requests. */
      readonly tracesOnRequest: boolean;
      readonly nowUs: number;
    },
  ): Promise<void>;
  /** The agent of this session was told to end. True when another agent of its Location is connected and stays. */
  leave(
    kysely: Kysely<Tables>,
    session: { readonly agentNo: number; readonly sessionId: string; readonly nowUs: number },
  ): Promise<boolean>;
  /** The session ended at `toUs`. The row of a newer session is left alone. */
  disconnect(
    kysely: Kysely<Tables>,
    session: { readonly agentNo: number; readonly sessionId: string; readonly toUs: number },
  ): Promise<void>;
  /**
   * Stores the reports of sessions. The row of a newer session keeps its status; skipped checks count for the agent,
   * whichever session reported them.
   */
  report(kysely: Kysely<Tables>, statuses: readonly AgentSessionStatus[]): Promise<void>;
  /** Marks an agent as fenced: it may not connect until the operator unfences it. */
  fence(trx: Kysely<Tables>, agentNo: number, nowUs: number): Promise<void>;
  /** Marks as Away the connected agents of a gateway, or those that were not heard since a time. */
  setAway(
    trx: Kysely<Tables>,
    which: { readonly gatewayId: string } | { readonly silentBeforeUs: number },
  ): Promise<
    readonly {
      readonly locationNo: number;
      readonly sessionId: string | null;
      readonly lastSeenUs: number;
    }[]
  >;
}
