import { lookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { messageOf, type Secret } from '@vantage/kernel';
import { openTunnel } from '../stream/tunnel.ts';
import type { AgentFinding } from './agent-finding.ts';
import { certificateFinding } from './certificate-steps.ts';
import { clockText } from './status-report.ts';

const timeoutMs = 10_000;

export interface ControllerEndpoint {
  readonly host: string;
  readonly port: number;
  /** PEM; undefined: the system's certificates. */
  readonly ca: string | undefined;
  /** An HTTP proxy, `http://[user:password@]host:port`; undefined: there is none. */
  readonly proxy: Secret | undefined;
}

/** Connects to a controller step by step and stops at the first step that fails. `nowMs` is this host's clock. */
export async function checkConnection(
  endpoint: ControllerEndpoint,
  nowMs: () => number,
): Promise<AgentFinding[]> {
  const findings: AgentFinding[] = [];
  const { proxy } = endpoint;
  if (proxy === undefined) {
    const name = await checkName(endpoint.host);
    findings.push(name);
    if (name.level === 'fault') return findings;
  }
  const tcp = proxy === undefined ? await openTcp(endpoint) : await openThrough(proxy, endpoint);
  findings.push(tcp.finding);
  if (tcp.socket === undefined) return findings;
  const tls = await openTls(tcp.socket, endpoint);
  findings.push(tls.finding);
  if (tls.socket === undefined) return findings;
  findings.push(certificateFinding(tls.socket, endpoint.host));
  const date = await readDate(tls.socket, endpoint.host);
  tls.socket.destroy();
  findings.push(clockFinding(date, nowMs()));
  return findings;
}

async function checkName(host: string): Promise<AgentFinding> {
  if (isIP(host) !== 0) return { level: 'ok', step: 'name', text: `${host} is an address` };
  try {
    const found = await lookup(host, { all: true });
    return {
      level: 'ok',
      step: 'name',
      text: `${host} is ${found.map(({ address }) => address).join(', ')}`,
    };
  } catch (error) {
    return {
      level: 'fault',
      step: 'name',
      text: `${host} has no address: ${messageOf(error)}`,
      remedy:
        'Check /etc/resolv.conf, add the name to /etc/hosts, or put an address into VANTAGE_AGENT_ENDPOINTS and VANTAGE_TLS_NAMES of the controller.',
    };
  }
}

function openTcp({
  host,
  port,
}: ControllerEndpoint): Promise<{ finding: AgentFinding; socket: Socket | undefined }> {
  return new Promise((resolve) => {
    const socket = connectTcp({ host, port });
    const fault = (text: string) => {
      socket.destroy();
      const remedy = `The controller must run, and every firewall in between must let this host connect to port ${port} of ${host}.`;
      resolve({ finding: { level: 'fault', step: 'TCP', text, remedy }, socket: undefined });
    };
    socket.setTimeout(timeoutMs, () => fault(`${host}:${port} does not answer within ${timeoutMs / 1000} s`));
    socket.once('error', (error) => fault(`${host}:${port}: ${messageOf(error)}`));
    socket.once('connect', () => {
      socket.setTimeout(0);
      const text = `${host}:${port} answers (${socket.remoteAddress})`;
      resolve({ finding: { level: 'ok', step: 'TCP', text }, socket });
    });
  });
}

/** The proxy resolves the controller's name. */
async function openThrough(
  proxy: Secret,
  { host, port }: ControllerEndpoint,
): Promise<{ finding: AgentFinding; socket: Socket | undefined }> {
  const step = 'TCP';
  try {
    const socket = await openTunnel({ proxy, host, port, signal: AbortSignal.timeout(timeoutMs) });
    return { finding: { level: 'ok', step, text: `${host}:${port} answers through the proxy` }, socket };
  } catch (error) {
    const remedy = `Compare VANTAGE_AGENT_PROXY with the proxy's address, user and password; it must allow CONNECT to port ${port}.`;
    return { finding: { level: 'fault', step, text: messageOf(error), remedy }, socket: undefined };
  }
}

function openTls(
  socket: Socket,
  { host, ca }: ControllerEndpoint,
): Promise<{ finding: AgentFinding; socket: TLSSocket | undefined }> {
  return new Promise((resolve) => {
    const secure = connectTls({
      socket,
      ca,
      rejectUnauthorized: false,
      ALPNProtocols: ['http/1.1'],
      ...(isIP(host) === 0 ? { servername: host } : { host }),
    });
    const fault = (text: string) => {
      secure.destroy();
      socket.destroy(); // a failed handshake leaves it open
      const remedy =
        "A device in between may intercept TLS, or the port is not the controller's agent port (8444).";
      resolve({ finding: { level: 'fault', step: 'TLS', text, remedy }, socket: undefined });
    };
    secure.setTimeout(timeoutMs, () => fault(`no handshake within ${timeoutMs / 1000} s`));
    secure.once('error', (error) => fault(messageOf(error)));
    secure.once('close', () => fault('the other side closed the connection during the handshake'));
    secure.once('secureConnect', () => {
      secure.setTimeout(0);
      const text = `${secure.getProtocol()}, ${secure.getCipher().name}`;
      resolve({ finding: { level: 'ok', step: 'TLS', text }, socket: secure });
    });
  });
}

/** The time in the Date header of the controller's HTTP server, milliseconds since 1970; undefined: there is none. */
function readDate(socket: TLSSocket, host: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    let text = '';
    const end = () => {
      const stated = Date.parse(/^date: (.+)$/im.exec(text)?.[1] ?? '');
      resolve(Number.isNaN(stated) ? undefined : stated);
    };
    socket.setTimeout(timeoutMs, () => socket.destroy());
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => {
      text = (text + chunk).slice(0, 8192);
      if (text.includes('\r\n\r\n')) end();
    });
    socket.once('error', end);
    socket.once('close', end);
    socket.write(
      `GET / HTTP/1.1\r\nHost: ${isIP(host) === 6 ? `[${host}]` : host}\r\nConnection: close\r\n\r\n`,
    );
  });
}

/** A Date header has whole seconds, and the answer takes its time. */
const toleratedMs = 5000;

/**
 * Compares this host's clock with the controller's. Both are milliseconds since 1970; `controllerMs` undefined:
 * unknown.
 */
function clockFinding(controllerMs: number | undefined, nowMs: number): AgentFinding {
  if (controllerMs === undefined)
    return {
      level: 'ok',
      step: 'clock',
      text: 'the controller states no time here; the agent measures it on the stream',
    };
  const offsetMs = controllerMs - nowMs;
  if (Math.abs(offsetMs) <= toleratedMs)
    return { level: 'ok', step: 'clock', text: "this host's clock agrees with the controller's" };
  return {
    level: 'warning',
    step: 'clock',
    text: clockText(offsetMs),
    remedy:
      'The agent corrects the times of its checks, but certificates need a correct clock: start an NTP client.',
  };
}
