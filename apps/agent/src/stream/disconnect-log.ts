import { declareState, type Logger } from '@vantage/kernel';
import { type DisconnectReason, disconnectText } from './disconnect-reason.ts';

/** Logs why there is no connection, each reason once until the next connection. */
export interface DisconnectLog {
  disconnected(disconnect: DisconnectReason, endpoint: string): void;
  connected(): void;
}

/** Reasons come from outside, so the log remembers a limited number. */
const maxReasons = 100;

const tracked = declareState({
  name: 'logged_disconnects',
  entries: maxReasons,
  entryBytes: 2_500,
  filledBy: 'a controller',
  atBound: 'the log repeats what it said',
});

export function createDisconnectLog(log: Logger): DisconnectLog {
  const reported = tracked(new Set<string>());
  return {
    disconnected(disconnect, endpoint) {
      const text = disconnectText(disconnect);
      const key = `${endpoint} ${text}`;
      if (reported.has(key)) return;
      if (reported.size >= maxReasons) reported.clear();
      reported.add(key);
      if (disconnect.kind === 'lost') log.warn({ endpoint }, text);
      else log.error({ endpoint }, text);
    },
    connected: () => reported.clear(),
  };
}
