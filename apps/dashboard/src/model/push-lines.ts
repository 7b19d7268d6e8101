const curl = 'curl -fsS -m 10 -o /dev/null';

/** The lines by which a job reports to the address of its device. Pure. */
export function pushLines(
  url: string,
  cron: string | undefined,
): Readonly<Record<'curl' | 'cron' | 'systemd', string>> {
  return {
    curl: `/usr/local/bin/job; ${curl} --retry 5 ${url}/$?`,
    cron: `VANTAGE_PUSH_URL=${url}\n${cron ?? '0 * * * *'} vantage push -- /usr/local/bin/job`,
    systemd: [
      '[Service]',
      `Environment=VANTAGE_PUSH_URL=${url}`,
      `ExecStartPre=-/bin/sh -c '${curl} --retry 1 "$$VANTAGE_PUSH_URL/start?rid=$$INVOCATION_ID"'`,
      // For a service that a signal ended, systemd has the signal's name.
      `ExecStopPost=-/bin/sh -c 'case $$EXIT_STATUS in [0-9]*) s=$$EXIT_STATUS;; *) s=fail;; esac; ${curl} --retry 5 "$$VANTAGE_PUSH_URL/$$s?rid=$$INVOCATION_ID"'`,
    ].join('\n'),
  };
}
