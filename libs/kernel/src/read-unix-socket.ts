import { connect } from 'node:net';

const maxCharacters = 65_536;
const timeoutMs = 5000;

/**
 * Connects to a unix socket and returns the text that its server sends before it closes the connection. `server` names
 * it in errors. Rejects when the server does not run, pauses for 5 s, or sends more than 64 Ki characters.
 */
export function readUnixSocket(file: string, server: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(file);
    let text = '';
    socket.setEncoding('utf8');
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error(`${server} does not answer`)));
    socket.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > maxCharacters) socket.destroy(new Error('the answer is too long'));
    });
    socket.once('error', reject);
    socket.once('end', () => resolve(text));
  });
}
