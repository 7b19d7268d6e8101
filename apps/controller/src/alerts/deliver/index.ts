export { createChannels } from './channels/registry.ts';
export { createWorkReader, runHeartbeat } from './heartbeat.ts';

import { enqueue, notificationsOf, withdraw, withdrawEnds } from './notification-store.ts';

/** Messages that alerts store and withdraw, in the transaction of the decision. */
export const messages = { enqueue, withdraw, withdrawEnds };
export { createNotify } from './notify.ts';
export { sendTest } from './send-test.ts';
export { notificationsOf };
