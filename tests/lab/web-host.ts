// The web server of the lab. It ends when standard input ends. Usage: web-host.ts ADDRESS
import { createServer } from 'node:http';

createServer((_request, response) => response.end('well')).listen(80, process.argv[2], () => {
  process.stdout.write('ready\n');
});
process.stdin.resume().once('end', () => process.exit(0));
