/** The lines by which a job reports to the address of its device. Pure. */
export function pushLines(
  url: string,
  cron: string | undefined,
): Readonly<Record<'curl' | 'cron' | 'systemd', string>> {
  return {
    curl: `/usr/local/bin/job; curl -fsS -m 10 --retry 5 -o /dev/null ${url}/$?`,
    cron: `VANTAGE_PUSH_URL=${url}\n${cron ?? '0 * * * *'} vantage push -- /usr/local/bin/job`,
    systemd: [
      '[Service]',
      `Environment=VANTAGE_PUSH_URL=${url}`,
      'ExecStartPre=-/usr/bin/curl -fsS -m 10 --retry 5 -o /dev/null ${VANTAGE_PUSH_URL}/start?rid=${INVOCATION_ID}',
      'ExecStopPost=-/usr/bin/curl -fsS -m 10 --retry 5 -o /dev/null ${VANTAGE_PUSH_URL}/${EXIT_STATUS}?rid=${INVOCATION_ID}',
    ].join('\n'),
  };
}
