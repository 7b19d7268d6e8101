-- Whether a sign-in provider (OpenID Connect) began the session: its sign-out ends there, too.
alter table sessions add column by_provider boolean not null default false;
