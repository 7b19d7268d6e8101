import { connect, createServer } from 'node:http2';
import { expect, test } from 'vitest';
import { withSafeAuthority } from './agent-port.ts';

test.each(['::1:8444', '1:2:3', 'vantage.example:8444'])(
  'an :authority of %j does not end the controller',
  async (authority) => {
    const server = createServer(
      withSafeAuthority((request, response) =>
        response.end(new URL('/x', `https://${request.authority}`).pathname),
      ),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const client = connect(
      `http://127.0.0.1:${address !== null && typeof address === 'object' ? address.port : 0}`,
    );
    const stream = client.request({ ':path': '/x', ':authority': authority });
    const said = await new Promise<string>((resolve, reject) => {
      let text = '';
      stream.on('data', (chunk) => {
        text += chunk;
      });
      stream.once('end', () => resolve(text));
      stream.once('error', reject);
    });
    client.close();
    server.close();
    expect(said).toBe('/x');
  },
);
