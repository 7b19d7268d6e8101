import { X509Certificate } from 'node:crypto';
import { checkServerIdentity, type TLSSocket } from 'node:tls';
import { dayMs } from '@vantage/domain';
import { messageOf } from '@vantage/kernel';
import type { Finding } from './finding.ts';

const step = 'certificate';

/** Whether the controller's certificate is of the agent's CA, valid by this host's clock and for this name. */
export function certificateFinding(socket: TLSSocket, host: string): Finding {
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
  return { level: 'ok', step, text: `the controller's is valid for ${host} until ${peer.valid_to}` };
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
        text: `the controller's certificate is not of the CA that this agent knows (${reason})`,
        remedy:
          'Another controller answers there, or something between opens TLS. After the controller got a new CA: invite the agent again.',
      };
  }
}

/** How long the agent's own certificate is still valid. `pem` undefined: it has none yet. */
export function ownCertificateFinding(pem: string | undefined, nowMs: number): Finding {
  const invite = 'Invite the agent again: `vantage agents invite` at the controller prints the line.';
  if (pem === undefined)
    return {
      level: 'warning',
      step,
      text: 'this agent has none of its own yet: it did not enrol',
      remedy: invite,
    };
  let ends: number;
  try {
    ends = new X509Certificate(pem).validToDate.getTime();
  } catch (error) {
    return {
      level: 'fault',
      step,
      text: `this agent's own cannot be read: ${messageOf(error)}`,
      remedy: invite,
    };
  }
  const days = Math.floor(Math.abs(ends - nowMs) / dayMs);
  if (ends > nowMs) return { level: 'ok', step, text: `this agent's own is valid for ${days} more days` };
  return {
    level: 'warning',
    step,
    text: `this agent's own ended ${days} days ago`,
    remedy: 'The agent gets another one by itself as soon as it reaches the controller.',
  };
}
