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
