export { createChannels } from '../channels/channel-registry.ts';
export { runHeartbeat } from './operator-heartbeat.ts';
export { createWorkReader } from './work-reader.ts';

import { notificationsOf } from './delivery-store.ts';
import { enqueue } from './enqueue.ts';
import { withdraw, withdrawEnds } from './withdraw.ts';

/** Messages that alerts store and withdraw, in the transaction of the decision. */
export const messages = { enqueue, withdraw, withdrawEnds };
export { createNotify } from './notify.ts';
export { sendTest } from './send-test.ts';
export { notificationsOf };
