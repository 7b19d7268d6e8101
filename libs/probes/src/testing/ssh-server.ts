import { generateKeyPairSync } from 'node:crypto';
import type { Socket } from 'node:net';
import ssh2 from 'ssh2';
import { listen } from './server.ts';

export interface SshServerSettings {
  readonly user?: string;
  readonly password?: string;
  /** The public key that may log in. */
  readonly key?: ssh2.ParsedKey;
  /** Accepts the password by keyboard-interactive only. */
  readonly prompts?: boolean;
  /** Runs a command. */
  readonly command?: (command: string, channel: ssh2.ServerChannel) => void;
}

/** An SSH server on loopback, on a free port. */
export interface SshServer extends AsyncDisposable {
  readonly port: number;
  readonly target: string;
  /** The login methods of clients, in order. */
  readonly attempts: readonly string[];
}

/** Creates a key pair: the private key in PEM form, and the parsed public key. */
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

/** Serves one client like a healthy server. */
function serveClient(client: ssh2.Connection, settings: SshServerSettings, attempts: string[]): void {
  const { user = 'probe', password = 'right', key, prompts = false, command } = settings;
  client.on('error', () => {});
  client.on('authentication', (context) => {
    attempts.push(context.method);
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

/** Serves sockets as an SSH server. Adds the login methods of the clients to `attempts`. */
function serverOf(settings: SshServerSettings, attempts: string[]): (socket: Socket) => void {
  const server = new ssh2.Server({ hostKeys: [host.pem], ident: 'test' }, (client) =>
    serveClient(client, settings, attempts),
  );
  return (socket) => server.injectSocket(socket);
}

/** Listens as an SSH server. */
export async function listenSsh(settings: SshServerSettings = {}): Promise<SshServer> {
  const attempts: string[] = [];
  const server = await listen(serverOf(settings, attempts));
  return {
    port: server.port,
    target: server.target,
    attempts,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Serves one socket as a healthy SSH server, for the contract suite. */
export const serveSsh = serverOf({}, []);
