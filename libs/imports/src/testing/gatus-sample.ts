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
  - { name: live, url: "wss://live.example.org/feed", body: hello, conditions: ["[CONNECTED] == true", "[BODY] == hello ."] }
  - { name: time, url: "udp://ntp.example.org:123", conditions: ["[CONNECTED] == true"] }
external-endpoints:
  - { name: job, token: abc }
`;
