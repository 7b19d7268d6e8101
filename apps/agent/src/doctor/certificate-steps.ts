import { X509Certificate } from 'node:crypto';
import { checkServerIdentity, type TLSSocket } from 'node:tls';
import { dayMs } from '@vantage/domain';
import { messageOf } from '@vantage/kernel';
import type { AgentFinding } from './agent-finding.ts';

const step = 'certificate';

/**
 * Checks that the controller's certificate was issued by the agent's CA, is valid by this host's clock and has this
 * name.
 */
export function certificateFinding(socket: TLSSocket, host: string): AgentFinding {
  const peer = socket.getPeerCertificate();
  const wrongName = checkServerIdentity(host, peer);
  const reason = socket.authorized ? undefined : String(socket.authorizationError);
  if (reason !== undefined && !isNameFault(reason)) return { ...trustFault(reason), level: 'fault', step };
  if (wrongName !== undefined)
    return {
      level: 'fault',
      step,
      text: `the controller's certificate is not for ${host}: ${messageOf(wrongName)}`,
      remedy: `Set VANTAGE_TLS_NAMES=${host} at the controller and restart it.`,
    };
  return {
    level: 'ok',
    step,
    text: `the controller's certificate is valid for ${host} until ${peer.valid_to}`,
  };
}

const isNameFault = (reason: string) => reason.includes('ALTNAME');

function trustFault(reason: string): { readonly text: string; readonly remedy: string } {
  switch (reason) {
    case 'CERT_HAS_EXPIRED':
    case 'CERT_NOT_YET_VALID':
      return {
        text: `the controller's certificate is not valid at this host's time (${reason})`,
        remedy: "Compare this host's clock with the controller's (`date`), and start an NTP client.",
      };
    default:
      return {
        text: `the controller's certificate was not issued by the CA that this agent trusts (${reason})`,
        remedy:
          'Another controller answers there, or a device in between intercepts TLS. If the controller has a new CA, invite the agent again.',
      };
  }
}

/** The remaining validity of the agent's own certificate. `pem` undefined: it has none yet. */
export function ownCertificateFinding(pem: string | undefined, nowMs: number): AgentFinding {
  const invite = 'Invite the agent again: `vantage agents invite` at the controller prints the line.';
  if (pem === undefined)
    return {
      level: 'warning',
      step,
      text: 'this agent has no certificate yet, because it has not enrolled',
      remedy: invite,
    };
  let ends: number;
  try {
    ends = new X509Certificate(pem).validToDate.getTime();
  } catch (error) {
    return {
      level: 'fault',
      step,
      text: `this agent's certificate cannot be read: ${messageOf(error)}`,
      remedy: invite,
    };
  }
  const days = Math.floor(Math.abs(ends - nowMs) / dayMs);
  if (ends > nowMs)
    return { level: 'ok', step, text: `this agent's certificate is valid for ${days} more days` };
  return {
    level: 'warning',
    step,
    text: `this agent's certificate expired ${days} days ago`,
    remedy: 'The agent renews it as soon as it reaches the controller.',
  };
}
