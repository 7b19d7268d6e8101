import { createFakeClock } from '@vantage/kernel/testing';
import type { Measurement } from '@vantage/probes';
import { ownNetworksOf } from '../uplink/own-networks.ts';
import { createUplink } from '../uplink/uplink.ts';

const ownNetworks = ownNetworksOf({
  eth0: [
    {
      address: '10.0.0.5',
      netmask: '255.255.255.0',
      family: 'IPv4',
      mac: '',
      internal: false,
      cidr: '10.0.0.5/24',
    },
  ],
});

/**
 * An uplink with a controller that answers heartbeats or not. `answers`: the measurement of a reference check, by
 * device.
 */
export function createUplinkFixture(
  more: {
    isConnected?: boolean;
    replies?: boolean;
    answers?: Record<number, Measurement>;
    /** Devices that are no longer assigned. */
    gone?: readonly number[];
    /** Delay until the agent can start a reference check. */
    busyMs?: number;
  } = {},
) {
  const clock = createFakeClock();
  const checked: number[] = [];
  let onlineAgain = 0;
  const unchecked: number[] = [];
  const state = { isConnected: false, replies: false, answers: {}, gone: [], busyMs: 0, ...more };
  const uplink = createUplink({
    clock,
    onOnlineAgain(missed) {
      onlineAgain += 1;
      unchecked.push(...missed);
    },
    ownNetworks: () => ownNetworks,
    judgeByAnchors: () => undefined,
    sendHeartbeat() {
      if (state.isConnected && state.replies) clock.timer(20, () => uplink.controllerAnswered());
      return state.isConnected;
    },
    runNow(deviceNo, onStart) {
      if (state.gone.includes(deviceNo)) return false;
      checked.push(deviceNo);
      const start = () => {
        onStart();
        const answer = state.answers[deviceNo];
        if (answer !== undefined) clock.timer(50, () => void uplink.confirm(deviceNo, answer));
      };
      if (state.busyMs === 0) start();
      else clock.timer(state.busyMs, start);
      return true;
    },
  });
  const judge = (deviceNo: number, measurement: Measurement, begunMs = clock.monoMs()) => {
    const verdict: { code?: number; text?: string } = {};
    void Promise.resolve(uplink.confirm(deviceNo, measurement, begunMs)).then((judged) =>
      Object.assign(verdict, judged),
    );
    return verdict;
  };
  return { clock, uplink, checked, onlineAgain: () => onlineAgain, unchecked, state, judge };
}
