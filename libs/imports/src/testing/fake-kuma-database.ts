import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** The columns that an import reads, as 1.23 and 2.x have them. 2.x added `columnsSince2`. */
const monitorColumns = [
  'id INTEGER PRIMARY KEY, name TEXT, active BOOLEAN NOT NULL DEFAULT 1, "interval" INTEGER NOT NULL DEFAULT 20',
  'url TEXT, type TEXT, hostname TEXT, port INTEGER, keyword TEXT, maxretries INTEGER NOT NULL DEFAULT 0',
  'ignore_tls BOOLEAN NOT NULL DEFAULT 0, upside_down BOOLEAN NOT NULL DEFAULT 0, maxredirects INTEGER NOT NULL DEFAULT 10',
  'accepted_statuscodes_json TEXT NOT NULL DEFAULT \'["200-299"]\', dns_resolve_type TEXT, dns_resolve_server TEXT',
  "retry_interval INTEGER NOT NULL DEFAULT 0, method TEXT NOT NULL DEFAULT 'GET', body TEXT, headers TEXT",
  'basic_auth_user TEXT, basic_auth_pass TEXT, auth_method TEXT, proxy_id INTEGER, database_connection_string TEXT',
  'database_query TEXT, resend_interval INTEGER NOT NULL DEFAULT 0, packet_size INTEGER NOT NULL DEFAULT 56',
  'http_body_encoding TEXT, description TEXT, parent INTEGER, invert_keyword BOOLEAN NOT NULL DEFAULT 0, json_path TEXT',
  'expected_value TEXT, timeout DOUBLE NOT NULL DEFAULT 0, radius_password TEXT, radius_username TEXT, radius_secret TEXT, radius_called_station_id TEXT, radius_calling_station_id TEXT, docker_container TEXT',
  'mqtt_topic TEXT, mqtt_success_message TEXT, mqtt_username TEXT, mqtt_password TEXT',
  'grpc_url TEXT, grpc_service_name TEXT, grpc_method TEXT, grpc_body TEXT, grpc_metadata TEXT, grpc_enable_tls BOOLEAN NOT NULL DEFAULT 0',
];
const columnsSince2 =
  "ping_count INTEGER NOT NULL DEFAULT 1, smtp_security TEXT, conditions TEXT NOT NULL DEFAULT '[]', json_path_operator TEXT, ip_family TEXT, snmp_oid TEXT, snmp_version TEXT, mqtt_check_type TEXT, ws_subprotocol TEXT, ws_ignore_sec_websocket_accept_header BOOLEAN NOT NULL DEFAULT 0";

const otherTables = `
  CREATE TABLE tag (id INTEGER PRIMARY KEY, name TEXT NOT NULL, color TEXT NOT NULL);
  CREATE TABLE monitor_tag (id INTEGER PRIMARY KEY, monitor_id INTEGER NOT NULL, tag_id INTEGER NOT NULL, value TEXT);
  CREATE TABLE proxy (id INTEGER PRIMARY KEY, protocol TEXT, host TEXT, port INTEGER, auth BOOLEAN, username TEXT, password TEXT);
  CREATE TABLE notification (id INTEGER PRIMARY KEY, name TEXT, config TEXT);
  CREATE TABLE heartbeat (id INTEGER PRIMARY KEY, important BOOLEAN NOT NULL DEFAULT 0, monitor_id INTEGER NOT NULL,
    status INTEGER NOT NULL, msg TEXT, time DATETIME NOT NULL, ping INTEGER, duration INTEGER NOT NULL DEFAULT 0);
`;

/** A database with the tables of Uptime Kuma, in its own temporary folder. */
export interface FakeKumaDatabase extends Disposable {
  readonly file: string;
  /** Absent columns get the default of Kuma's schema. */
  readonly insert: (table: string, row: Readonly<Record<string, string | number | null>>) => void;
}

/** Creates an empty database of Kuma 1.23 or 2. */
export function createKumaDatabase(version: 1 | 2): FakeKumaDatabase {
  const folder = mkdtempSync(path.join(tmpdir(), 'vantage-kuma-'));
  const file = path.join(folder, 'kuma.db');
  const database = new DatabaseSync(file);
  const columns = version === 1 ? monitorColumns : [...monitorColumns, columnsSince2];
  database.exec(`CREATE TABLE monitor (${columns.join(', ')});${otherTables}`);
  return {
    file,
    insert(table, row) {
      const names = Object.keys(row).map((name) => `"${name}"`);
      database
        .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
        .run(...Object.values(row));
    },
    [Symbol.dispose]() {
      database.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
