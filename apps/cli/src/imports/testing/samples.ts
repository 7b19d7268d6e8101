/** Files of other tools in their real form, written for the tests. */

/** Gatus' configuration: 10 endpoints. */
export const gatusConfiguration = `
alerting: { slack: { webhook-url: "https://hooks.example.org/x" } }
endpoints:
  - name: front
    group: core
    url: https://shop.example.org/health
    interval: 5m
    headers: { Authorization: Bearer abcdefgh, X-Trace: "1" }
    client: { insecure: true, timeout: 3s, ignore-redirect: true }
    alerts: [{ type: slack, failure-threshold: 4 }]
    conditions:
      - "[STATUS] == 200"
      - "[BODY].state.db == UP"
      - "[RESPONSE_TIME] < 300"
      - "[CERTIFICATE_EXPIRATION] > 49h"
      - "[DOMAIN_EXPIRATION] > 720h"
  - name: texts
    url: http://shop.example.org/
    conditions: ["[STATUS] < 300", "[BODY] == pat(*Welcome (here)*)"]
  - { name: ping, url: "icmp://10.0.0.1", interval: 90s, conditions: ["[CONNECTED] == true", "[RESPONSE_TIME] < 50"] }
  - { name: db, url: "tcp://db.example.org:5432", enabled: false, conditions: ["[CONNECTED] == true"] }
  - { name: mx, url: "192.0.2.53", dns: { query-name: example.org, query-type: MX }, conditions: ["[DNS_RCODE] == NOERROR"] }
  - { name: shell, url: "ssh://host.example.org:22", ssh: { username: mon, password: geheim }, body: '{"command": "uptime"}', conditions: ["[STATUS] == 0"] }
  - { name: mail, url: "starttls://mail.example.org:587", conditions: ["[CERTIFICATE_EXPIRATION] > 24h"] }
  - { name: live, url: "wss://live.example.org/feed", conditions: ["[CONNECTED] == true"] }
  - { name: time, url: "udp://ntp.example.org:123", conditions: ["[CONNECTED] == true"] }
external-endpoints:
  - { name: job, token: abc }
`;

const prometheus = `
global: { scrape_interval: 15s }
scrape_configs:
  - job_name: node
    static_configs: [{ targets: ["localhost:9100"] }]
  - job_name: web
    metrics_path: /probe
    scrape_interval: 2m
    params: { module: [login] }
    static_configs:
      - targets: ["https://shop.example.org/", "example.org"]
        labels: { env: prod }
    file_sd_configs: [{ files: ["targets-*.json"] }]
    relabel_configs: [{ source_labels: [__address__], target_label: __param_target }]
  - job_name: ping
    metrics_path: /probe
    params: { module: [icmp_v4] }
    static_configs: [{ targets: ["10.0.0.1", "router.example.org"], labels: { site: berlin } }]
    dns_sd_configs: [{ names: ["x"] }]
`;
const targets = JSON.stringify([
  { targets: ['mail.example.org:25'], labels: { module: 'starttls', name: 'Mail' } },
  { targets: ['host.example.org:22'], labels: { module: 'ssh_banner' } },
  { targets: ['192.0.2.53'], labels: { module: 'soa' } },
  { targets: ['/run/x.sock'], labels: { module: 'socket' } },
  { targets: ['irc.example.org:6667'], labels: { module: 'irc' } },
  { targets: ['a.example.org'], labels: { module: 'nothing' } },
]);
const blackbox = `
modules:
  login:
    prober: http
    timeout: 4s
    http:
      valid_status_codes: [200, 302]
      follow_redirects: false
      basic_auth: { username: mon, password: geheim }
      fail_if_body_not_matches_regexp: ["Welcome"]
      fail_if_body_matches_regexp: ["Error"]
      tls_config: { insecure_skip_verify: true }
  icmp_v4: { prober: icmp, icmp: { preferred_ip_protocol: ip4, ip_protocol_fallback: false } }
  ssh_banner: { prober: tcp, tcp: { query_response: [{ expect: "^SSH-2.0-" }] } }
  starttls: { prober: tcp, tcp: { query_response: [{ expect: "^220" }, { starttls: true }] } }
  soa: { prober: dns, dns: { query_name: example.org, query_type: SOA, transport_protocol: tcp } }
  socket: { prober: unix }
  irc: { prober: tcp, tcp: { query_response: [{ expect: "PING :([^ ]+)", send: "PONG \${1}" }] } }
`;

/** Jobs of Prometheus with 10 targets, the modules of the exporter, and a file of file_sd. */
export const prometheusJobs = { configuration: prometheus, targets, modules: blackbox } as const;

/** Objects of Nagios: 2 hosts and 4 services. */
export const nagiosObjects = `
$USER1$=/usr/lib/nagios/plugins
define command {
  command_name  check_web
  command_line  $USER1$/check_http -H $HOSTADDRESS$ -S -u '$ARG1$' -e 200 -a mon:geheim -t 9 -w 2 -c 5
}
define command {
  command_name  check-host-alive
  command_line  $USER1$/check_ping -H $HOSTADDRESS$ -w 3000.0,80% -c 5000.0,100% -p 5
}
define command {
  command_name  check_local_disk
  command_line  $USER1$/check_disk -w $ARG1$
}
define host {
  name                generic   ; a template
  register            0
  check_command       check-host-alive
  check_interval      5
  retry_interval      1
  max_check_attempts  4
  hostgroups          all-hosts
}
define host {
  use         generic
  host_name   router
  address     10.0.0.1
}
define host {
  use         generic
  host_name   web1
  alias       Web server 1
  address     10.0.0.2
  parents     router
  hostgroups  +web
}
define hostgroup {
  hostgroup_name  web
}
define hostgroup {
  hostgroup_name  berlin
  members         router
  hostgroup_members  web
}
define service {
  hostgroup_name       web
  service_description  Shop
  check_command        check_web!/shop?a=1
  check_interval       10
  max_check_attempts   3
}
define service {
  host_name            *,!web1
  service_description  SSH
  check_command        check_ssh!-p 2222
}
define service {
  host_name            web1
  service_description  Disk
  check_command        check_local_disk!20%
}
define service {
  host_name            gone
  service_description  FTP
  check_command        check_ftp
}
define contact {
  contact_name  ann
}
`;
