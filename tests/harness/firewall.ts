import { execFileSync } from 'node:child_process';

const table = `vantage_test_${process.pid}`;

/** The reason why this machine cannot drop packets; undefined when it can. */
export function firewallMissing(): string | undefined {
  if (process.getuid?.() !== 0) return 'a firewall rule needs root';
  try {
    // Not `closedPort`, which must refuse all the time.
    dropPort(2)[Symbol.dispose]();
    return undefined;
  } catch (error) {
    return `nft cannot be used: ${error instanceof Error ? error.message.split('\n')[0] : ''}`;
  }
}

/** Drops every TCP packet to a loopback port, without an answer, until disposed. One rule at a time. */
export function dropPort(port: number): Disposable {
  return drop(`tcp dport ${port}`);
}

/** Drops every ICMP echo request on loopback until disposed. One rule at a time. */
export function dropPings(): Disposable {
  return drop('icmp type echo-request');
}

function drop(match: string): Disposable {
  const nft = (text: string) =>
    execFileSync('nft', ['-f', '-'], { input: text, stdio: ['pipe', 'ignore', 'pipe'] });
  nft(`table inet ${table} {
  chain input { type filter hook input priority 0; iifname "lo" ${match} drop; }
}`);
  return { [Symbol.dispose]: () => nft(`delete table inet ${table}`) };
}
