export const kumaAccepts = 'kuma.db of Uptime Kuma 1.x or 2.x, or a backup of 1.x as JSON (with monitorList)';

/** Tables without checks, in the words of the report. */
const ignoredTables = {
  notification: 'notifications (contacts and notification schedules take their place)',
  maintenance: 'maintenances (maintenance schedules take their place)',
  status_page: 'status pages',
  docker_host: 'docker hosts',
  remote_browser: 'remote browsers',
  api_key: 'API keys',
} as const;

/** The report's lines about the tables without checks. Empty tables are left out. */
export function kumaIgnored(countOf: (table: string) => number): string[] {
  return Object.entries(ignoredTables).flatMap(([table, words]) => {
    const count = countOf(table);
    return count === 0 ? [] : [`not carried over: ${count} ${words}`];
  });
}
