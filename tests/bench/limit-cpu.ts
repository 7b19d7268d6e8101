import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const periodUs = 10_000;

/**
 * Limits a process to a share of one core, by a control group of its own. Disposing removes the group, whose process
 * has ended then. undefined: this machine does not allow one.
 */
export function limitCpu(pid: number, share: number): Disposable | undefined {
  const isSecond = existsSync('/sys/fs/cgroup/cgroup.controllers');
  const folder = path.join(isSecond ? '/sys/fs/cgroup' : '/sys/fs/cgroup/cpu', `vantage-bench-${pid}`);
  const quotaUs = Math.round(periodUs * share);
  try {
    mkdirSync(folder);
    if (isSecond) writeFileSync(path.join(folder, 'cpu.max'), `${quotaUs} ${periodUs}`);
    else {
      writeFileSync(path.join(folder, 'cpu.cfs_period_us'), String(periodUs));
      writeFileSync(path.join(folder, 'cpu.cfs_quota_us'), String(quotaUs));
    }
    writeFileSync(path.join(folder, 'cgroup.procs'), String(pid));
  } catch {
    return undefined;
  }
  return { [Symbol.dispose]: () => rmdirSync(folder) };
}
