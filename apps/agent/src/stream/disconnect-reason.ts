import { backoffMs, declareState, type Logger } from '@vantage/kernel';
import { Goodbye_Reason } from '@vantage/proto';

/** How a stream, or the try at one, ended. */
export type DisconnectReason =
  | { readonly kind: 'goodbye'; readonly reason: Goodbye_Reason; readonly text: string }
  /** The controller refused the certificate, or the token at enrolment. */
  | { readonly kind: 'refused'; readonly text: string }
  /** `lastedMs` is the time since the controller's welcome; 0: there was none. */
  | { readonly kind: 'lost'; readonly text: string; readonly lastedMs: number };

const backoff = { baseMs: 500, capMs: 30_000 };
/** A session that lasted so long did not come to nothing. */
const workedMs = 5_000;
const refusedBackoff = { baseMs: 2000, capMs: 60_000 };
/** A revoked agent tries again after this time. */
const awayMs = 300_000;
/** An agent that another session replaced, or that is fenced, tries again after this time. */
const replacedMs = 60_000;

/** The tries in a row that came to nothing, after `failures` of them before this one. */
export function failuresAfter(disconnect: DisconnectReason, failures: number): number {
  if (disconnect.kind === 'goodbye') return 0;
  return disconnect.kind === 'lost' && disconnect.lastedMs >= workedMs ? 0 : failures + 1;
}

/**
 * Milliseconds until the next try. Another controller is tried soon, however often this one failed. `failures` counts
 * tries in a row that came to nothing; `others` are endpoints not tried yet.
 */
export function waitAfter(
  disconnect: DisconnectReason,
  around: { readonly failures: number; readonly others: number; readonly random: () => number },
): number {
  const { failures, others, random } = around;
  const about = (ms: number) => Math.round(ms * (0.75 + random() / 2));
  switch (disconnect.kind) {
    case 'lost':
      return backoffMs(others > 0 ? 0 : Math.max(0, failures - 1), backoff, random);
    case 'refused':
      return 500 + backoffMs(failures, refusedBackoff, random);
    case 'goodbye':
      switch (disconnect.reason) {
        case Goodbye_Reason.REVOKED:
          return about(awayMs);
        case Goodbye_Reason.REPLACED:
        case Goodbye_Reason.FENCED:
          return about(replacedMs);
        case Goodbye_Reason.SHUTDOWN:
          return others > 0 ? 0 : backoffMs(0, backoff, random);
        case Goodbye_Reason.UNSPECIFIED:
          return backoffMs(0, backoff, random);
      }
  }
}

/** Logs why there is no connection: each reason once, until there is a connection again. */
export interface DisconnectLog {
  disconnected(disconnect: DisconnectReason, endpoint: string): void;
  connected(): void;
}

/** The reasons come from outside: this many are remembered. */
const mostReasons = 100;
const tracked = declareState({
  name: 'logged_disconnects',
  entries: mostReasons,
  entryBytes: 2_500,
  filledBy: 'a controller',
  atBound: 'the log repeats what it said',
});

/** Creates the log of disconnections. */
export function createDisconnectLog(log: Logger): DisconnectLog {
  const reported = tracked(new Set<string>());
  return {
    disconnected(disconnect, endpoint) {
      const text = disconnectText(disconnect);
      const key = `${endpoint} ${text}`;
      if (reported.has(key)) return;
      if (reported.size >= mostReasons) reported.clear();
      reported.add(key);
      if (disconnect.kind === 'lost') log.warn({ endpoint }, text);
      else log.error({ endpoint }, text);
    },
    connected: () => reported.clear(),
  };
}

/** Hints for the operator, by the code of Node's error. */
const helps = [
  {
    about: /before secure TLS connection was established/,
    help: '. The port is open, but the TLS handshake does not finish: look for a firewall or proxy on the way, and for a path that drops large packets (MTU)',
  },
  {
    about: /certificate (?:has expired|is not yet valid)/,
    help: ". Compare this machine's clock with the controller's, and see that the controller has a new certificate",
  },
  {
    about: /self-signed certificate|unable to (?:get (?:local )?issuer|verify the first) certificate/,
    help: ". This agent does not trust the authority that signed the certificate: copy the controller's ca.pem to the file of VANTAGE_CA_FILE and restart the agent, or look for a proxy that opens TLS connections",
  },
] as const;

/** The reason as the log names it. */
export function disconnectText(disconnect: DisconnectReason): string {
  switch (disconnect.kind) {
    case 'lost':
      return `no connection: ${disconnect.text}${helps.find(({ about }) => about.test(disconnect.text))?.help ?? ''}`;
    case 'refused':
      return `the controller refuses this agent (${disconnect.text}); the agent tries again`;
    case 'goodbye':
      return `the controller ended the session: ${goodbyeText(disconnect)}`;
  }
}

/** A goodbye's reason for people: what the agent knows of it, and what the controller wrote. */
function goodbyeText({ reason, text }: { readonly reason: Goodbye_Reason; readonly text: string }): string {
  const both = [reasonText(reason), text].filter((part) => part !== '');
  return both.length === 0 ? 'it states no reason' : both.join('; ');
}

function reasonText(reason: Goodbye_Reason): string {
  switch (reason) {
    case Goodbye_Reason.UNSPECIFIED:
      return '';
    case Goodbye_Reason.REPLACED:
      return 'a newer session of this agent opened: does another process use the same key?';
    case Goodbye_Reason.REVOKED:
      return 'this agent is revoked';
    case Goodbye_Reason.SHUTDOWN:
      return 'the controller shuts down';
    case Goodbye_Reason.FENCED:
      return 'a copy of this agent was seen: use each key in one place only';
  }
}
