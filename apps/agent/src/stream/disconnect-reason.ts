import { Goodbye_Reason } from '@vantage/proto';

/** The reason why a stream, or an attempt to open one, ended. */
export type DisconnectReason =
  | { readonly kind: 'goodbye'; readonly reason: Goodbye_Reason; readonly text: string }
  /** The controller refused the certificate, or the token at enrolment. */
  | { readonly kind: 'refused'; readonly text: string }
  /** `lastedMs`: time since the controller's Welcome; 0: there was none. */
  | { readonly kind: 'lost'; readonly text: string; readonly lastedMs: number };

/** Hints for the operator, by the text of Node's error. */
const hints = [
  {
    pattern: /before secure TLS connection was established/,
    help: '. The port is open, but the TLS handshake does not finish: look for a firewall or proxy in between, and for a path that drops large packets (MTU)',
  },
  {
    pattern: /certificate (?:has expired|is not yet valid)/,
    help: ". Compare this machine's clock with the controller's, and see that the controller has a new certificate",
  },
  {
    pattern: /self-signed certificate|unable to (?:get (?:local )?issuer|verify the first) certificate/,
    help: ". This agent does not trust the authority that signed the certificate: copy the controller's ca.pem to the file of VANTAGE_CA_FILE and restart the agent, or look for a proxy that opens TLS connections",
  },
] as const;

/** The reason as the log names it. */
export function disconnectText(disconnect: DisconnectReason): string {
  switch (disconnect.kind) {
    case 'lost':
      return `no connection: ${disconnect.text}${hints.find(({ pattern }) => pattern.test(disconnect.text))?.help ?? ''}`;
    case 'refused':
      return `the controller refuses this agent (${disconnect.text}); the agent tries again`;
    case 'goodbye':
      return `the controller ended the session: ${goodbyeText(disconnect)}`;
  }
}

/** The reason of a goodbye for people: the text of its code and the text of the controller. */
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
      return 'a copy of this agent was seen: use each key on one host only';
  }
}
