-- Settings of the installation that people change on the page or by the API. There is at most one row. A null is a
-- setting that nobody has made. Environment variables come before these values.
create table installation_settings (
  is_only boolean primary key default true check (is_only),
  -- Host, Port, Security, VerifyCertificate and User. The password is sealed.
  mail_server jsonb,
  mail_password bytea,
  mail_from text,
  private_webhooks boolean,
  updated_us bigint not null
);
