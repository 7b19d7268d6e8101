import { generateKeyPairSync } from 'node:crypto';
import type { Socket } from 'node:net';
import ssh2 from 'ssh2';
import { listen } from './server.ts';

/** How the test's SSH server behaves. */
export interface SshServerSettings {
  readonly user?: string;
  readonly password?: string;
  /** Public part of the key that may log in. */
  readonly key?: ssh2.ParsedKey;
  /** Asks for the password by keyboard-interactive only. */
  readonly prompts?: boolean;
  /** Serves a command: what it puts out and how it ends. */
  readonly command?: (command: string, channel: ssh2.ServerChannel) => void;
}

/** A real SSH server on loopback, port 0. */
export interface SshServer extends AsyncDisposable {
  readonly port: number;
  readonly target: string;
  /** Login methods tried, in order. */
  readonly tried: readonly string[];
}

/** A key pair of a test: the private key in PEM form, the public one parsed. */
export function makeKey(): { readonly pem: string; readonly parsed: ssh2.ParsedKey } {
  const pem = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  }).privateKey;
  const parsed = ssh2.utils.parseKey(pem);
  if (parsed instanceof Error) throw parsed;
  return { pem, parsed };
}

const host = makeKey();

/** The public blob of every test server's host key. */
export const hostKey: Buffer = host.parsed.getPublicSSH();

/** Answers one client on an accepted socket as a healthy server does. */
function welcome(client: ssh2.Connection, settings: SshServerSettings, tried: string[]): void {
  const { user = 'probe', password = 'right', key, prompts = false, command } = settings;
  client.on('error', () => {});
  client.on('authentication', (context) => {
    tried.push(context.method);
    const known = context.username === user;
    if (prompts && context.method === 'keyboard-interactive') {
      context.prompt([{ prompt: 'Password: ', echo: false }], (answers) => {
        if (known && answers[0] === password) context.accept();
        else context.reject(['keyboard-interactive']);
      });
      return;
    }
    const byPassword = !prompts && context.method === 'password' && known && context.password === password;
    const byKey =
      context.method === 'publickey' && known && key?.getPublicSSH().equals(context.key.data) === true;
    if (byPassword || byKey) context.accept();
    else context.reject([prompts ? 'keyboard-interactive' : 'password', 'publickey']);
  });
  client.on('ready', () => {
    client.on('session', (accept) => {
      const session = accept();
      session.on('exec', (acceptExec, rejectExec, { command: text }) => {
        if (command) command(text, acceptExec());
        else rejectExec();
      });
    });
  });
}

/** Serves accepted sockets as an SSH server; what was tried to log in is added to `tried`. */
function serverOf(settings: SshServerSettings, tried: string[]): (socket: Socket) => void {
  const server = new ssh2.Server({ hostKeys: [host.pem], ident: 'test' }, (client) =>
    welcome(client, settings, tried),
  );
  return (socket) => server.injectSocket(socket);
}

/** Listens as an SSH server. */
export async function listenSsh(settings: SshServerSettings = {}): Promise<SshServer> {
  const tried: string[] = [];
  const server = await listen(serverOf(settings, tried));
  return {
    port: server.port,
    target: server.target,
    tried,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Serves one accepted socket as a healthy SSH server, for the contract suite. */
export const serveSsh = serverOf({}, []);
