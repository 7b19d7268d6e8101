import type { Stats } from 'node:fs';
import { type DiskSpace, judgeRoom, roomNeeds, roomProblem } from '@vantage/kernel';
import type { AgentFinding } from './agent-finding.ts';
import type { StatusAnswer } from './status-socket.ts';

/** Whether the agent runs and is connected. */
export function streamFinding(answer: StatusAnswer): AgentFinding {
  const step = 'stream';
  switch (answer.kind) {
    case 'not-running':
      return {
        level: 'fault',
        step,
        text: 'the agent is not running',
        remedy:
          '`vantage-agent start` starts it. Its log says why it ended (journalctl -u vantage-agent, /var/log/vantage-agent.log).',
      };
    case 'unreadable':
      return {
        level: 'fault',
        step,
        text: `the agent's status cannot be read: ${answer.text}`,
        remedy: 'Run this command as root.',
      };
    case 'status': {
      const { connection, lastDisconnect } = answer.status;
      if (connection !== null)
        return {
          level: 'ok',
          step,
          text: `connected to ${connection.endpoint}, Location ${connection.location}`,
        };
      return {
        level: 'fault',
        step,
        text: lastDisconnect?.text ?? 'not connected yet',
        remedy:
          'The agent tries again automatically. If its token or certificate is refused, invite it again.',
      };
    }
  }
}

/**
 * Whether the policy file exists and only root may write it. `file` undefined: the setting is empty, or the file is
 * missing.
 */
export function policyFinding(
  problems: readonly string[],
  file: { readonly path: string; readonly stat: Pick<Stats, 'uid' | 'mode'> } | undefined,
): AgentFinding {
  const step = 'policy';
  if (problems.length > 0)
    return {
      level: 'fault',
      step,
      text: problems.join('; '),
      remedy: 'Correct the file. Until then the agent does not start.',
    };
  if (file === undefined)
    return {
      level: 'warning',
      step,
      text: 'there is no policy file: everything but cloud metadata is allowed',
      remedy: 'Name a file in VANTAGE_AGENT_POLICY_FILE.',
    };
  if (file.stat.uid !== 0 || (file.stat.mode & 0o022) !== 0)
    return {
      level: 'warning',
      step,
      text: `users other than root may change ${file.path}`,
      remedy: `chown root ${file.path}; chmod 644 ${file.path}`,
    };
  return { level: 'ok', step, text: `${file.path} is valid, and only root may change it` };
}

/**
 * Whether the disk of the agent's data has room. `refusal`: the reason why the folder cannot be written, such as EROFS;
 * undefined: it can.
 */
export function diskFinding(disk: {
  readonly folder: string;
  readonly space: DiskSpace | undefined;
  readonly refusal: string | undefined;
}): AgentFinding {
  const { folder, space, refusal } = disk;
  const step = 'disk';
  if (refusal !== undefined)
    return {
      level: 'fault',
      step,
      text: `${folder} cannot be written: ${refusal}`,
      remedy:
        'Repair or remount the disk. The agent keeps running. Results that it cannot deliver before it ends are lost.',
    };
  if (space === undefined) return { level: 'ok', step, text: `the free space of ${folder} is unknown` };
  const room = judgeRoom('enough', space, roomNeeds.agent);
  const problem = roomProblem(folder, room, space);
  const free = `${Math.floor(space.freeBytes / (1024 * 1024))} MiB are free`;
  if (problem === undefined) return { level: 'ok', step, text: `${free} in ${folder}` };
  return {
    level: room === 'full' ? 'fault' : 'warning',
    step,
    text: problem,
    remedy:
      'Free disk space. Without it the agent keeps results in memory and reports lost results as a data gap.',
  };
}

/** Whether the running agent may ping. */
export function pingFinding(answer: StatusAnswer): AgentFinding {
  const step = 'right to ping';
  if (answer.kind !== 'status')
    return { level: 'ok', step, text: 'unknown, because the status of the agent cannot be read' };
  const { pingFault } = answer.status;
  if (pingFault === null) return { level: 'ok', step, text: 'the agent may ping' };
  return {
    level: 'warning',
    step,
    text: pingFault,
    remedy:
      'Only PING checks need it. Reinstall on a host with systemd or setpriv, or widen net.ipv4.ping_group_range.',
  };
}
