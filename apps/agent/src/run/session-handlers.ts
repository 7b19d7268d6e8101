import { hostname } from 'node:os';
import type { Clock, Logger } from '@vantage/kernel';
import { type Ack, Goodbye_Reason, type RunRequest } from '@vantage/proto';
import type { Timing } from '../config/agent-timing.ts';
import { historyOf } from '../outbox/ack-position.ts';
import type { ControllerMessage, LinkHandlers } from '../stream/controller-link.ts';
import { createDisconnectLog } from '../stream/disconnect-log.ts';
import type { Uploader } from '../stream/uploader.ts';
import type { Upgrader } from '../upgrade/upgrader.ts';
import type { Checks } from './checks.ts';
import type { Stores } from './stores.ts';

/** Without an offset from an earlier run, checks wait this long after Welcome for the first measurement. */
const firstOffsetWithinMs = 5000;

interface SessionHandlersDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly timing: Timing;
  readonly stores: Stores;
  readonly checks: Checks;
  readonly uploader: Uploader;
  readonly upgrader: Upgrader;
  readonly version: string;
  /** Checks per minute that this agent can run. */
  readonly capacity: number;
}

/** Handles the messages of the agent's session with its controller. */
export function createSessionHandlers(deps: SessionHandlersDeps): LinkHandlers {
  const { clock, log, stores, checks, uploader } = deps;
  const { identity, assignments, retryStore } = stores;
  const { uplink, scheduler, table, sendHeartbeat } = checks;
  const disconnects = createDisconnectLog(log);
  return {
    async hello() {
      const sessionCounter = await identity.nextSession();
      const { version, capacity } = deps;
      const { architecture, fault: upgradeFault } = deps.upgrader;
      const host = { hostName: hostname(), capacity, architecture, upgradeFault };
      return {
        version,
        bootId: identity.bootId,
        sessionCounter,
        ...host,
        tracesOnRequest: true,
        epochIds: [...stores.outbox.epochIds],
      };
    },
    onUp({ agentNo, locationName }, endpoint) {
      log.info({ endpoint, agentNo, location: locationName }, 'connected');
      disconnects.connected();
      uplink.controllerAnswered();
      sendHeartbeat(uplink.offlineReason);
      uploader.up();
      deps.upgrader.connected();
      clock.timer(firstOffsetWithinMs, () => scheduler.start());
    },
    onMessage(message) {
      uplink.controllerAnswered();
      receive(deps, message);
    },
    onDown(disconnect, endpoint) {
      disconnects.disconnected(disconnect, endpoint);
      assignments.forgetPartial();
      uploader.down();
      uplink.disconnected();
      if (disconnect.kind === 'goodbye' && disconnect.reason === Goodbye_Reason.REVOKED) {
        assignments.forget();
        retryStore.prune();
        checks.anchors.set([]);
        table.replace([]);
      }
    },
  };
}

function receive(
  { log, timing, stores, checks, uploader, upgrader }: SessionHandlersDeps,
  message: ControllerMessage,
): void {
  const { assignments, retryStore } = stores;
  const { table, uplink, anchors, sync } = checks;
  switch (message.case) {
    case 'assignments': {
      const change = assignments.apply(message.value);
      if (change.kind === 'wait') return;
      retryStore.prune();
      uplink.prune((deviceNo) => assignments.all.has(deviceNo));
      anchors.prune((deviceNo) => assignments.all.has(deviceNo));
      if (message.value.snapshot || message.value.anchors) anchors.set(assignments.anchors);
      const faults =
        change.kind === 'replace'
          ? table.replace(change.assignments.map(timing.scaled))
          : table.change(change.upserts.map(timing.scaled), change.removedDeviceNos);
      for (const fault of faults) log.error(`assignment refused: ${fault}`);
      return;
    }
    case 'runRequest':
      if (message.value.traceroute) checks.diagnostics.expect(message.value.runRequestId);
      table.runRequest(scaledRequest(message.value, timing));
      return;
    case 'ack':
      uploader.acked(message.value.batchId, message.value, positionOf(message.value));
      return;
    case 'heartbeatReply':
      sync.reply(message.value);
      upgrader.reportAnswered();
      return;
    case 'databaseHistory':
      void stores.outbox.sendAgain(historyOf(message.value));
      return;
    case 'upgrade':
      upgrader.request(message.value);
      return;
    case 'welcome':
    case 'goodbye':
    case undefined:
      return;
  }
}

/** The position of a commit; undefined from a controller that does not report it. */
function positionOf({ epochId, mark }: Ack) {
  return epochId === '' ? undefined : { epochId, sequence: Number(mark) };
}

function scaledRequest(request: RunRequest, { scaled }: Timing): RunRequest {
  return request.assignment === undefined ? request : { ...request, assignment: scaled(request.assignment) };
}
