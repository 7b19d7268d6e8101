// Follows the events of a controller with the client package, and prints the id of each, a line each; what broke the
// stream goes to standard error. Usage: BASE_URL=… KEY=… NODE_EXTRA_CA_CERTS=… node follow-events.ts AFTER
import { createSender, events } from '@vantage/client';

const send = createSender({ key: process.env['KEY'] ?? '' });
const after = process.argv[2] ?? '';
const onBreak = () => process.stderr.write('broken\n');
for await (const { event_id } of events(send, `${process.env['BASE_URL']}/events?stream=Y`, {
  after,
  onBreak,
}))
  process.stdout.write(`${event_id}\n`);
