export type SettingReader = 'controller' | 'agent' | 'both' | 'commands';

/** One setting as `vantage help settings` and docs/settings.md show it. */
export interface Setting {
  readonly reader: SettingReader;
  /** The default, as text for people. */
  readonly otherwise: string;
  readonly about: string;
}

/** THE list of settings. Each is an environment variable or a line of the file that VANTAGE_SETTINGS_FILE names. */
export const settings: Readonly<Record<string, Setting>> = {
  VANTAGE_DATA: { reader: 'controller', otherwise: './data', about: 'Folder for all data' },
  VANTAGE_HTTPS_PORT: { reader: 'controller', otherwise: '8443', about: 'Port of the REST API' },
  VANTAGE_AGENT_PORT: { reader: 'controller', otherwise: '8444', about: "Port of the agents' stream" },
  VANTAGE_LISTEN: {
    reader: 'controller',
    otherwise: 'all addresses',
    about: 'Address to listen on, for both ports',
  },
  VANTAGE_DATABASE_URL: {
    reader: 'controller',
    otherwise: 'the embedded PostgreSQL',
    about: 'PostgreSQL 15 or later: postgres://user:password@host:5432/name',
  },
  VANTAGE_DATABASE_READ_URL: {
    reader: 'controller',
    otherwise: '',
    about:
      'A streaming replica of VANTAGE_DATABASE_URL, from which history is read while it is fresh: postgres://user:password@host:5432/name (docs/scaling.md)',
  },
  VANTAGE_DATABASE_READ_MAX_SECONDS: {
    reader: 'controller',
    otherwise: '10',
    about: 'Maximum lag of the replica in seconds (2 to 3600); beyond it, history is read from the primary',
  },
  VANTAGE_ROLES: {
    reader: 'controller',
    otherwise: 'api,gateway,worker',
    about:
      'Roles of a process of `./vantage controller`: api (the REST API and the page), gateway (the agents), worker (planning, alerts, notifications, jobs); with VANTAGE_DATABASE_URL (docs/scaling.md)',
  },
  VANTAGE_TLS_CERT: {
    reader: 'controller',
    otherwise: "a certificate of the controller's own CA",
    about: 'Certificate chain of the REST API (PEM file); with VANTAGE_TLS_KEY',
  },
  VANTAGE_TLS_KEY: {
    reader: 'controller',
    otherwise: '',
    about: 'Private key of VANTAGE_TLS_CERT (PEM file)',
  },
  VANTAGE_TLS_NAMES: {
    reader: 'controller',
    otherwise: '',
    about:
      "More names and addresses for the controller's own certificate, comma-separated (always: localhost, 127.0.0.1, ::1, the host name)",
  },
  VANTAGE_AGENT_URL: {
    reader: 'controller',
    otherwise: "this machine's name, with VANTAGE_AGENT_PORT",
    about:
      "Address at which agents reach the agents' port, several comma-separated; invitations show it: https://vantage.example.org:8444",
  },
  VANTAGE_PARCELS: {
    reader: 'controller',
    otherwise: 'agent-installer/dist',
    about: 'Folder with the parcels of the agent that the installer downloads',
  },
  VANTAGE_RELEASE_PUBLIC_KEY: {
    reader: 'controller',
    otherwise: 'none',
    about:
      'The public release key, one line of `./vantage release-key create`; remote upgrades of agents need it (docs/install-agent.md)',
  },
  VANTAGE_TRUSTED_PROXIES: {
    reader: 'controller',
    otherwise: 'none',
    about: 'Addresses or networks whose X-Forwarded-For and X-Forwarded-Proto are trusted, comma-separated',
  },
  VANTAGE_SIGN_IN_HEADER: {
    reader: 'controller',
    otherwise: 'none',
    about:
      'The header in which a trusted proxy gives the e-mail address of the person it signed in (X-Forwarded-Email). The proxy must remove it from what clients send',
  },
  VANTAGE_OIDC_ISSUER: {
    reader: 'controller',
    otherwise: 'none',
    about: 'The issuer of an OpenID Connect provider that signs people in (docs/rest.md, "Single sign-on")',
  },
  VANTAGE_OIDC_CLIENT_ID: {
    reader: 'controller',
    otherwise: 'none',
    about: 'The client id that the provider gave to Vantage',
  },
  VANTAGE_OIDC_CLIENT_SECRET_FILE: {
    reader: 'controller',
    otherwise: 'none',
    about: 'File with the client secret; without one, Vantage is a public client (PKCE)',
  },
  VANTAGE_OIDC_GROUPS: {
    reader: 'controller',
    otherwise: 'none',
    about:
      "Rights of the members of the provider's groups, the first match applies: admins=UA; noc=UO; berlin=UW:berlin,berlin/rack-3. Without it, invited people sign in",
  },
  VANTAGE_OIDC_ACCOUNT: {
    reader: 'controller',
    otherwise: 'default',
    about: 'The account of people who sign in through a group of the provider',
  },
  VANTAGE_OIDC_ALLOW_UNVERIFIED_EMAIL: {
    reader: 'controller',
    otherwise: 'false',
    about:
      'true: accept an e-mail address for which the provider does not send email_verified (Entra ID). Only for a provider in which people cannot enter the address of another person',
  },
  VANTAGE_API_KEY_HEADERS: {
    reader: 'controller',
    otherwise: 'none',
    about: 'Header names that may carry the API key in addition to Service-API-Key, comma-separated',
  },
  VANTAGE_CORS_ORIGINS: {
    reader: 'controller',
    otherwise: 'none',
    about: 'Origins whose web pages may use the REST API (https://status.example.org), comma-separated',
  },
  VANTAGE_RETENTION_DAYS: {
    reader: 'controller',
    otherwise: '35',
    about: 'Days for which single checks are kept (1 to 3650); roll-ups, events and uptime stay',
  },
  VANTAGE_ACCOUNT_LIMITS: {
    reader: 'controller',
    otherwise: 'docs/security.md',
    about:
      'Maximum number of things of each kind in an account: devices=200000,tags=500 (docs/security.md has the kinds)',
  },
  VANTAGE_PACK_AFTER_DAYS: {
    reader: 'controller',
    otherwise: '8',
    about:
      'Days after which the good checks of a day are packed, to a tenth of their space or less (1 to 3650, or never; docs/operate.md)',
  },
  VANTAGE_BACKUP_MAX_DAYS: {
    reader: 'controller',
    otherwise: '2',
    about:
      'The alert backup.old begins when the newest backup is older than this, or when this time has passed without one (0 to 3650; 0: never, because backups are made by other means; docs/operate.md)',
  },
  VANTAGE_SECRET_KEY_FILE: {
    reader: 'controller',
    otherwise: '$VANTAGE_DATA/secret.key',
    about:
      'The key for secrets at rest (32 bytes as base64), created at the first start; controllers on one database share it (docs/secrets.md)',
  },
  VANTAGE_SECRET_KEY_LOST: {
    reader: 'controller',
    otherwise: 'no',
    about:
      'yes: the old key is lost for good; start with the key of the file and give up the secrets that it cannot open (docs/secrets.md)',
  },
  VANTAGE_ALLOW_PRIVATE_WEBHOOKS: {
    reader: 'controller',
    otherwise: 'false',
    about:
      'true: webhooks may go to loopback and private addresses, and by plain HTTP. Without it, admins choose on the page (Account)',
  },
  VANTAGE_SMTP_URL: {
    reader: 'controller',
    otherwise: 'none',
    about:
      'SMTP server for e-mails: smtp://user:password@host:587, or smtps:// for TLS at once. Without it, admins set one on the page (Account)',
  },
  VANTAGE_MAIL_FROM: {
    reader: 'controller',
    otherwise: 'Vantage <vantage@localhost>',
    about:
      'Sender of e-mails, an address with or without a name: Vantage <vantage@example.org>. Without it, admins set it on the page (Account)',
  },
  VANTAGE_TELEGRAM_URL: {
    reader: 'controller',
    otherwise: 'https://api.telegram.org',
    about:
      'Address of the Bot API for messages to Telegram, for a server of your own: https://telegram.example.org',
  },
  VANTAGE_PUBLIC_URL: {
    reader: 'controller',
    otherwise: "the API's own address",
    about:
      'Address at which people reach this API; links in messages begin with it: https://vantage.example.org',
  },
  VANTAGE_HEARTBEAT_URL: {
    reader: 'controller',
    otherwise: 'none',
    about:
      'Called (GET) each minute while ingest, status and deliveries make progress, so that another service notices when Vantage stops',
  },
  VANTAGE_OTLP_URL: {
    reader: 'controller',
    otherwise: 'none',
    about:
      'OpenTelemetry collector that gets traces by OTLP over HTTP: http://localhost:4318 (docs/metrics.md)',
  },
  VANTAGE_LOG_LEVEL: {
    reader: 'both',
    otherwise: 'info',
    about: 'trace, debug, info, warn, error, fatal or silent',
  },
  VANTAGE_METRICS_PORT: {
    reader: 'both',
    otherwise: 'none',
    about:
      "Port on 127.0.0.1 with the process's own series for Prometheus (docs/metrics.md); the agent of `npm start` uses the next port",
  },
  VANTAGE_SERVER: {
    reader: 'commands',
    otherwise: 'the profile of vantage login, else the system here',
    about: 'Address of the API for commands from anywhere: https://host:8443/v1.1',
  },
  VANTAGE_KEY: {
    reader: 'commands',
    otherwise: 'the profile of vantage login, else that of the system here',
    about: 'Key of the API for commands from anywhere',
  },
  VANTAGE_CA: {
    reader: 'commands',
    otherwise: 'the authorities of the system',
    about: 'The CA of that controller (PEM file)',
  },
  VANTAGE_PUSH_URL: {
    reader: 'commands',
    otherwise: 'required, or --url',
    about: 'The PushURL to which `vantage push` reports a job (docs/heartbeats.md)',
  },
  VANTAGE_SETTINGS_FILE: {
    reader: 'both',
    otherwise: 'none',
    about: 'A file with lines NAME=value; the environment takes precedence',
  },
  VANTAGE_TEST_TIME_SCALE: {
    reader: 'both',
    otherwise: '1',
    about:
      'Tests only (NODE_ENV=test): intervals, delays and waiting times pass this many times faster (timeouts and heartbeats stay)',
  },
  VANTAGE_AGENT_ENDPOINTS: {
    reader: 'agent',
    otherwise: 'required',
    about: "Controllers' agent ports, comma-separated: https://controller.example:8444",
  },
  VANTAGE_AGENT_TOKEN: {
    reader: 'agent',
    otherwise: 'required until it has enrolled',
    about: "The token of the agent's invitation",
  },
  VANTAGE_AGENT_TOKEN_FILE: {
    reader: 'agent',
    otherwise: '',
    about: "File with the agent's token, instead of VANTAGE_AGENT_TOKEN",
  },
  VANTAGE_CA_FILE: {
    reader: 'agent',
    otherwise: 'the system’s certificates',
    about: "The controller's CA certificate (PEM file)",
  },
  VANTAGE_AGENT_PROXY: {
    reader: 'agent',
    otherwise: 'none',
    about: 'HTTP proxy on the way to the controllers: http://user:password@proxy.example:3128',
  },
  VANTAGE_AGENT_DATA: {
    reader: 'agent',
    otherwise: './agent-data',
    about: "Folder for the agent's outbox and assignments",
  },
  VANTAGE_AGENT_POLICY_FILE: {
    reader: 'agent',
    otherwise: 'everything but cloud metadata addresses',
    about: 'File with the networks, ports and Methods that the agent may use',
  },
  VANTAGE_AGENT_RELEASE_KEY_FILE: {
    reader: 'agent',
    otherwise: 'none',
    about:
      'File with the public release key (one line). The agent upgrades itself only to versions that this key signed; the installer writes the file',
  },
  VANTAGE_AGENT_SECRETS_FILE: {
    reader: 'agent',
    otherwise: 'none',
    about: 'File with secrets that only this machine knows (JSON of mode 0600; see docs/agent.md)',
  },
  VANTAGE_AGENT_CONCURRENCY: {
    reader: 'agent',
    otherwise: '500',
    about: 'Checks that may run at the same time (1 to 10000)',
  },
  VANTAGE_AGENT_OUTBOX_MB: {
    reader: 'agent',
    otherwise: '256',
    about:
      'Size of the outbox on disk, MiB (8 to 65536); a full outbox drops the oldest results and reports a data gap',
  },
};
